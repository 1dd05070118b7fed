//! What a pattern needs, as a condition on the pieces of text that the server can look up.

use std::collections::BTreeMap;

use toolpost_grams::{Need, Pattern, Reach};

/// How many texts a condition may ask for.
const MOST: usize = 64;

/// How many texts that must all be there are asked for: more would not narrow it further.
const ALL: usize = 8;

/// Words a pattern as a condition on `body`; none if it tells the server nothing that it has looked up.
pub(crate) fn condition(pattern: &Pattern) -> Option<String> {
    // What reaches over lines may begin in one piece and end in the next.
    if pattern.reach() == Reach::Lines {
        return None;
    }
    let mut room = MOST;
    worded(pattern.texts(), &mut room)
}

fn worded(need: &Need<Vec<u8>>, room: &mut usize) -> Option<String> {
    match need {
        Need::Anything => None,
        Need::One(text) => like(text, "like", room),
        Need::All(needs) => {
            let all: Vec<String> = needs.iter().filter_map(|need| worded(need, room)).take(ALL).collect();
            (!all.is_empty()).then(|| format!("({})", all.join(" and ")))
        }
        Need::Any(needs) => any(needs, room),
    }
}

/// Asks for one of several; texts that differ in the case of their letters alone are asked for once.
fn any(needs: &[Need<Vec<u8>>], room: &mut usize) -> Option<String> {
    let mut texts: BTreeMap<Vec<u8>, Vec<&[u8]>> = BTreeMap::new();
    let mut ways = Vec::new();
    for need in needs {
        match need {
            Need::One(text) if text.is_ascii() => {
                texts.entry(text.to_ascii_lowercase()).or_default().push(text);
            }
            other => ways.push(worded(other, room)?),
        }
    }
    for (folded, written) in texts {
        ways.push(match written.as_slice() {
            [one] => like(one, "like", room)?,
            _ => like(&folded, "ilike", room)?,
        });
    }
    Some(format!("({})", ways.join(" or ")))
}

/// Asks for one text; none if the server has not looked up any part of it.
fn like(text: &[u8], operator: &str, room: &mut usize) -> Option<String> {
    let words = std::str::from_utf8(text).ok()?;
    let is_word = |part: &[u8]| part.len() >= 3;
    let known = text.split(|byte| !byte.is_ascii_alphanumeric()).any(is_word);
    if !known || words.contains(['\n', '\r', '\0']) {
        return None;
    }
    *room = room.checked_sub(1)?;
    let mut escaped = String::with_capacity(words.len());
    for letter in words.chars() {
        match letter {
            '\\' | '%' | '_' => escaped.extend(['\\', letter]),
            '\'' => escaped.push_str("''"),
            other => escaped.push(other),
        }
    }
    Some(format!("body {operator} '%{escaped}%'"))
}

#[cfg(test)]
mod tests {
    use super::condition;
    use toolpost_grams::{Letters, Pattern, Reach};

    #[test]
    fn patterns_are_worded_as_conditions() {
        let rows = [
            ("spin_lock", Some(r"body like '%spin\_lock%'")),
            ("it's 100% \\\\", Some(r"body like '%it''s 100\% \\%'")),
            ("foo|bar", Some("(body like '%bar%' or body like '%foo%')")),
            ("foo|->", None),
            ("alpha.*->.*gamma", Some("(body like '%alpha%' and body like '%gamma%')")),
            ("(?i)todo", Some("(body ilike '%todo%')")),
            ("a.b", None),
            ("->x", None),
            ("straße", Some("body like '%straße%'")),
        ];
        for (pattern, expected) in rows {
            let read = Pattern::read(pattern, Letters::AsWritten, Reach::Line);
            let found = read.and_then(|read| condition(&read));
            assert_eq!(found.as_deref(), expected, "{pattern}");
        }
        let lines = Pattern::read("(?s)alpha.*gamma", Letters::AsWritten, Reach::Lines).unwrap();
        assert_eq!(condition(&lines), None);
    }
}
