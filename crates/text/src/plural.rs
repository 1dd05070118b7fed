//! Counts in English, such as `2 processes`.

/// Formats a count with its noun in the singular or the plural, as in `1 byte`, `2 processes` and `3 entries`.
#[must_use]
pub fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("{count} {what}") } else { format!("{count} {}", plural(what)) }
}

/// Returns the regular English plural of a noun.
fn plural(what: &str) -> String {
    let hisses = ["s", "x", "z", "ch", "sh"].iter().any(|end| what.ends_with(end));
    match what.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ if hisses => format!("{what}es"),
        _ => format!("{what}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::counted;
    use toolpost_test_rows::each;

    #[test]
    fn plurals_follow_the_rules_of_english() {
        let rows = [
            (0, "file", "0 files"),
            (1, "process", "1 process"),
            (2, "process", "2 processes"),
            (2, "matching line", "2 matching lines"),
            (3, "entry", "3 entries"),
            (3, "day", "3 days"),
            (4, "match", "4 matches"),
        ];
        each(rows, |(count, what, wanted)| {
            assert_eq!(counted(count, what), wanted);
        });
    }
}
