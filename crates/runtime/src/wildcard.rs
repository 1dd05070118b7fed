//! Patterns of names, in which `*` stands for any part of a name.

/// Tells whether a name is meant by a pattern; nothing but `*` stands for more than itself.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
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
    use super::matches;

    #[test]
    fn a_star_stands_for_any_part() {
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
        for (pattern, name, meant) in rows {
            assert_eq!(matches(pattern, name), meant, "{pattern} {name}");
        }
    }
}
