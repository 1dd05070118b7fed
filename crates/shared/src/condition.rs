//! Conversion of a pattern to a condition that the server can look up.

use std::collections::BTreeMap;

use toolpost_grams::{Need, Pattern, Reach};

/// Maximum number of texts in a condition.
const MOST: usize = 64;

/// Maximum number of required texts: more would not narrow the result.
const ALL: usize = 8;

/// Converts a pattern to a condition on `body`; `None` if the index cannot look up any part of it.
pub(crate) fn condition(pattern: &Pattern) -> Option<String> {
    // A match across lines may begin in one piece and end in the next.
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

/// Requires one of several texts; texts that differ only in case count once.
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

/// Requires one text; `None` if the index has no part of it.
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
