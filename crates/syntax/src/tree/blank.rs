//! Blanks macros between `class` and its name, as in `class API_EXPORT Name { … }`, before C++ is parsed.

use std::borrow::Cow;
use std::ops::Range;

/// The keywords that such a macro may follow.
const WORDS: [&str; 3] = ["class", "struct", "union"];

/// Replaces such macros by spaces, so that all offsets stay valid.
pub(super) fn exports(text: &str) -> Cow<'_, str> {
    let found = macros(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    for range in found {
        for byte in &mut bytes[range] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Lists such macros, with their arguments.
pub(crate) fn macros(text: &str) -> Vec<Range<usize>> {
    let of = |word: &'static str| text.match_indices(word).filter_map(move |(at, _)| export(text, at, word));
    WORDS.into_iter().flat_map(of).collect()
}

/// Finds a macro between a keyword and a name that has a body or bases.
fn export(text: &str, at: usize, word: &str) -> Option<Range<usize>> {
    let inside = |letter: char| letter.is_alphanumeric() || letter == '_';
    if text[..at].ends_with(inside) {
        return None;
    }
    let behind = &text[at + word.len()..];
    let rest = behind.trim_start();
    if rest.len() == behind.len() {
        return None;
    }
    let start = text.len() - rest.len();
    let (name, mut rest) = name(rest)?;
    let is_macro = name.len() > 1
        && name.chars().all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_')
        && name.chars().any(|letter| letter.is_ascii_uppercase());
    if !is_macro {
        return None;
    }
    if rest.starts_with('(') {
        rest = &rest[rest.find(')')? + 1..];
    }
    let end = text.len() - rest.len();
    let (own, behind) = self::name(rest.trim_start())?;
    let behind = behind.trim_start();
    let behind = behind.strip_prefix("final").map_or(behind, str::trim_start);
    let bases = behind.strip_prefix(':').filter(|bases| !bases.starts_with(':')).map(str::trim_start);
    let has_bases =
        bases.is_some_and(|bases| bases.starts_with(|letter: char| letter.is_alphabetic() || letter == '_'));
    let defines = !matches!(own, "final" | "override") && (behind.starts_with('{') || has_bases);
    let safe = text.is_char_boundary(start) && text[start..end].is_ascii();
    (defines && safe).then_some(start..end)
}

/// Splits a name off.
fn name(text: &str) -> Option<(&str, &str)> {
    let length = text.find(|letter: char| !(letter.is_alphanumeric() || letter == '_')).unwrap_or(text.len());
    let (name, rest) = text.split_at(length);
    name.starts_with(|letter: char| letter.is_alphabetic() || letter == '_').then_some((name, rest))
}

#[cfg(test)]
mod tests {
    use super::exports;

    #[test]
    fn macros_before_the_name_of_a_class_become_spaces() {
        let rows = [
            ("class DB_EXPORT DB {};", "class           DB {};"),
            ("struct A_B(x) C : public D {};", "struct        C : public D {};"),
            ("class API Foo final : Bar {}", "class     Foo final : Bar {}"),
            ("class API\nFoo\n{}", "class    \nFoo\n{}"),
            ("class FOO final {};", "class FOO final {};"),
            ("class FOO {};", "class FOO {};"),
            ("struct DIR dir;", "struct DIR dir;"),
            ("struct FOO bits : 3;", "struct FOO bits : 3;"),
            ("struct FOO f() {}", "struct FOO f() {}"),
            ("subclass API Foo {}", "subclass API Foo {}"),
            ("class Api Foo {}", "class Api Foo {}"),
            ("class", "class"),
        ];
        for (text, wanted) in rows {
            assert_eq!(exports(text), wanted, "{text}");
        }
    }
}
