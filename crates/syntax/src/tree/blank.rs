//! Replaces macros with spaces before a C or C++ text is parsed, because the grammars would parse them as types:
//! `class API_EXPORT Name { … }`, `API_EXPORT type name(…)`.

use std::borrow::Cow;
use std::ops::Range;

/// Keywords that are not types. If a line begins with one of them, apart from a leading `extern` or `static`, [`head`]
/// finds no macro on it.
const NO_TYPES: &str = "struct class union enum return else case goto typedef using namespace new delete template throw \
    operator const volatile inline register unsigned signed static extern virtual explicit friend constexpr public private \
    protected";

/// The keywords that an export macro may follow.
const WORDS: [&str; 3] = ["class", "struct", "union"];

/// Replaces export macros by spaces, so that all offsets stay valid.
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

/// Lists the export macros of a text, with their arguments.
pub(crate) fn macros(text: &str) -> Vec<Range<usize>> {
    let of = |word: &'static str| text.match_indices(word).filter_map(move |(at, _)| export(text, at, word));
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let heads = starts.filter_map(|at| head(text, at));
    WORDS.into_iter().flat_map(of).chain(heads).collect()
}

/// Finds a macro at the start of a line before or after the type of a function: `API type name(`, `type CALL name(`.
fn head(text: &str, at: usize) -> Option<Range<usize>> {
    let line = &text[at..];
    let line = ["extern ", "static "].iter().find_map(|word| line.strip_prefix(word)).unwrap_or(line);
    let (first, rest) = name(line)?;
    let (second, rest) = name(spaces(rest)?)?;
    let behind = rest.trim_start_matches([' ', '*']);
    if behind.len() == rest.len() {
        return None;
    }
    let (own, rest) = name(behind)?;
    let defines = rest.trim_start_matches(' ').starts_with('(')
        && !is_macro(own)
        && NO_TYPES.split(' ').all(|word| word != first);
    let from = |word: &str, rest: &str| text.len() - rest.len() - word.len();
    let after = &line[first.len()..];
    let start = match (is_macro(second), is_macro(first)) {
        _ if !defines => return None,
        (true, _) => from(second, &spaces(after)?[second.len()..]),
        (false, true) => from(first, after),
        (false, false) => return None,
    };
    Some(start..start + if is_macro(second) { second.len() } else { first.len() })
}

/// Skips white space; `None` if there is none.
fn spaces(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches([' ', '\t']);
    (rest.len() < text.len()).then_some(rest)
}

/// Checks whether a name is written like a macro: in upper case.
fn is_macro(name: &str) -> bool {
    name.len() > 1
        && name.chars().all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_')
        && name.chars().any(|letter| letter.is_ascii_uppercase())
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
    if !is_macro(name) {
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

/// Splits off a name at the beginning of a text.
fn name(text: &str) -> Option<(&str, &str)> {
    let length = text.find(|letter: char| !(letter.is_alphanumeric() || letter == '_')).unwrap_or(text.len());
    let (name, rest) = text.split_at(length);
    name.starts_with(|letter: char| letter.is_alphabetic() || letter == '_').then_some((name, rest))
}

#[cfg(test)]
mod tests {
    use super::exports;
    use toolpost_test_rows::each;

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
            (
                "LUA_API lua_Unsigned lua_rawlen (lua_State *L) {",
                "        lua_Unsigned lua_rawlen (lua_State *L) {",
            ),
            ("extern API_X char *name(void);", "extern       char *name(void);"),
            ("BOOL WINAPI Foo(int x) {", "BOOL        Foo(int x) {"),
            ("FILE *open(void) {", "FILE *open(void) {"),
            ("const FOO_T bar(void) {", "const FOO_T bar(void) {"),
            ("static inline FOO_T bar(void) {", "static inline FOO_T bar(void) {"),
            ("unsigned long foo(void) {", "unsigned long foo(void) {"),
            ("return FOO_BAR x(1);", "return FOO_BAR x(1);"),
            ("FOO_DECL int x;", "FOO_DECL int x;"),
        ];
        each(rows, |(text, wanted)| {
            assert_eq!(exports(text), wanted, "{text}");
        });
    }
}
