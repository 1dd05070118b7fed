//! Patterns for names, with the wildcard `*`.

/// Returns whether a list of patterns selects an item. `means` returns whether a pattern matches the item.
/// At least one pattern without a leading `!` must match, and no pattern with a leading `!` may match. A list with
/// only `!` patterns selects every item that none of them matches.
#[must_use]
pub fn picks(list: &[String], means: impl Fn(&str) -> bool) -> bool {
    let (out, named): (Vec<&str>, Vec<&str>) =
        list.iter().map(String::as_str).partition(|name| name.starts_with('!'));
    let listed = (named.is_empty() && !out.is_empty()) || named.iter().any(|name| means(name));
    listed && !out.iter().any(|name| means(&name[1..]))
}

/// Returns whether a pattern matches a name. `*` stands for any text, also an empty one; no other character
/// is special.
#[must_use]
pub fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::{matches, picks};
    use toolpost_test_rows::each;

    #[test]
    fn star_matches_any_part_of_a_name() {
        let rows = [
            ("*", "anything", true),
            ("*", "", true),
            ("read", "read", true),
            ("read", "read_file", false),
            ("mcp__fs__*", "mcp__fs__read", true),
            ("mcp__fs__*", "mcp__fsx__read", false),
            ("mcp__*__read", "mcp__fs__read", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("a*a", "a", false),
            ("**", "x", true),
            ("a.c", "abc", false),
        ];
        each(rows, |(pattern, name, meant)| {
            assert_eq!(matches(pattern, name), meant, "{pattern} {name}");
        });
    }

    #[test]
    fn excluded_names_are_never_picked_in_any_order() {
        let rows: [(&[&str], &str, bool); 8] = [
            (&[], "read", false),
            (&["*"], "read", true),
            (&["read"], "write", false),
            (&["!bash"], "read", true),
            (&["!bash"], "bash", false),
            (&["!bash", "*"], "bash", false),
            (&["*", "!mcp__x__*"], "mcp__x__y", false),
            (&["read", "!bash"], "write", false),
        ];
        each(rows, |(list, name, picked)| {
            let names: Vec<String> = list.iter().map(|&name| name.to_owned()).collect();
            assert_eq!(picks(&names, |pattern| matches(pattern, name)), picked, "{list:?} {name}");
        });
    }
}
