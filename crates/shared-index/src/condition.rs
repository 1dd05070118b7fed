//! Conversion of a search pattern to an SQL condition that the database answers from its index.

use std::collections::BTreeMap;

use toolpost_trigrams::{IndexQuery, Pattern, Reach};

/// Maximum number of literal texts in a condition.
const MOST: usize = 64;

/// Maximum number of literal texts that a condition requires together; more would hardly exclude further files.
const ALL: usize = 8;

/// Converts a search pattern to an SQL condition on the column `body`; `None` if the pattern can match across lines, or
/// the database index cannot look up any part of it.
pub(crate) fn condition(pattern: &Pattern) -> Option<String> {
    // A match across lines may begin in one piece of a file and end in the next.
    if pattern.reach() == Reach::Lines {
        return None;
    }
    let mut room = MOST;
    worded(pattern.texts(), &mut room)
}

fn worded(need: &IndexQuery<Vec<u8>>, room: &mut usize) -> Option<String> {
    match need {
        IndexQuery::Anything => None,
        IndexQuery::One(text) => like(text, "like", room),
        IndexQuery::All(needs) => {
            let all: Vec<String> = needs.iter().filter_map(|need| worded(need, room)).take(ALL).collect();
            (!all.is_empty()).then(|| format!("({})", all.join(" and ")))
        }
        IndexQuery::Any(needs) => any(needs, room),
    }
}

/// Builds the condition that one of several literal texts occurs; texts that differ only in case count once. `None` if
/// one of them cannot be expressed.
fn any(needs: &[IndexQuery<Vec<u8>>], room: &mut usize) -> Option<String> {
    let mut texts: BTreeMap<Vec<u8>, Vec<&[u8]>> = BTreeMap::new();
    let mut ways = Vec::new();
    for need in needs {
        match need {
            IndexQuery::One(text) if text.is_ascii() => {
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

/// Builds the condition that one literal text occurs. `None` if the database index cannot look up the text, or the
/// condition already has the maximum number of texts.
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
    use toolpost_test_rows::each;
    use toolpost_trigrams::{Letters, Pattern, Reach};

    #[test]
    fn patterns_become_sql_conditions() {
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
        each(rows, |(pattern, expected)| {
            let read = Pattern::read(pattern, Letters::AsWritten, Reach::Line);
            let found = read.and_then(|read| condition(&read));
            assert_eq!(found.as_deref(), expected, "{pattern}");
        });
        let lines = Pattern::read("(?s)alpha.*gamma", Letters::AsWritten, Reach::Lines).unwrap();
        assert_eq!(condition(&lines), None);
    }
}
