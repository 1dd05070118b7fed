//! Placeholders in a pattern, such as `$NAME`: their positions, their encoding for the parser, and their recognition
//! in the parse tree.

use std::ops::Range;

use ast_grep_core::meta_var::MetaVariable;

use crate::Language;

/// If a pattern has more placeholders than this, all get the same encoding; otherwise all combinations of encodings
/// are tried.
const FEW: usize = 6;

/// Finds the byte ranges of the placeholders in a pattern, such as `$NAME` and `$$$`.
pub(super) fn places(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find('$') {
        let start = at + found;
        let dollars = text[start..].bytes().take_while(|byte| *byte == b'$').count();
        let name = text[start + dollars..].bytes().take_while(|byte| is_letter(*byte)).count();
        let named = name > 0 && !text.as_bytes()[start + dollars].is_ascii_digit();
        at = start + dollars + name;
        if (dollars == 3 && (named || name == 0)) || (named && dollars < 3) {
            out.push(start..at);
        }
    }
    out
}

/// Lists the texts of a pattern with its placeholders encoded for the parser, the simplest encodings first. The two
/// lists differ in the encoding of placeholders at the end of a block ([`PlaceholderEncoding`]). The first text in each list that
/// parses is used.
pub(super) fn written(language: Language, text: &str) -> [Vec<String>; 2] {
    let (places, ways) = (places(text), language.0.holes);
    let plain = (0..ways.len()).map(|way| vec![way; places.len()]);
    let mut choices: Vec<Vec<usize>> = plain.collect();
    if ways.len() == 2 && places.len() <= FEW {
        let mixed = 0..1_usize << places.len();
        choices.extend(mixed.map(|mask| (0..places.len()).map(|at| mask >> at & 1).collect()));
    }
    [PlaceholderEncoding::Open, PlaceholderEncoding::Closed].map(|ends| {
        let mut out: Vec<String> = Vec::new();
        for choice in &choices {
            let written = write(language, text, &places, choice, ends);
            if !out.contains(&written) {
                out.push(written);
            }
        }
        out
    })
}

/// Returns the placeholder that the text of a syntax node encodes; `None` if the text is code.
pub(super) fn hole(language: Language, text: &str) -> Option<MetaVariable> {
    let (before, after) = language.0.many;
    let many = text.strip_prefix(before).and_then(|inner| bare(language, inner.strip_suffix(after)?));
    let many = many.filter(|hole| matches!(hole, MetaVariable::Multiple | MetaVariable::MultiCapture(_)));
    let ways = || language.0.holes.iter();
    many.or_else(|| {
        ways().find_map(|(before, after)| bare(language, text.strip_prefix(before)?.strip_suffix(after)?))
    })
}

/// Parses a placeholder: the signs (`$` or their replacement), then the name.
fn bare(language: Language, text: &str) -> Option<MetaVariable> {
    let name = text.trim_start_matches(language.meta());
    let signs = text.chars().take_while(|sign| *sign == language.meta()).count();
    if !name.bytes().all(is_letter) || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    match (signs, name.is_empty(), name.starts_with('_')) {
        (3, true, _) | (3, false, true) => Some(MetaVariable::Multiple),
        (3, false, false) => Some(MetaVariable::MultiCapture(name.to_owned())),
        (1 | 2, false, true) => Some(MetaVariable::Dropped(signs == 1)),
        (1 | 2, false, false) => Some(MetaVariable::Capture(name.to_owned(), signs == 1)),
        _ => None,
    }
}

/// The encoding of a placeholder for any number of nodes (`$$$`) at the end of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PlaceholderEncoding {
    /// The placeholder is encoded like any other.
    Open,
    /// The placeholder is encoded as a statement.
    Closed,
}

fn write(
    language: Language,
    text: &str,
    places: &[Range<usize>],
    choice: &[usize],
    ends: PlaceholderEncoding,
) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut done = 0;
    for (place, way) in places.iter().zip(choice) {
        let signs = text[place.clone()].bytes().take_while(|byte| *byte == b'$').count();
        let last = signs == 3 && text[place.end..].trim_start().starts_with('}');
        let (before, after) = if last && ends == PlaceholderEncoding::Closed {
            language.0.many
        } else {
            language.0.holes[*way]
        };
        out.push_str(&text[done..place.start]);
        out.push_str(before);
        out.extend(std::iter::repeat_n(language.meta(), signs));
        out.push_str(&text[place.start + signs..place.end]);
        out.push_str(after);
        done = place.end;
    }
    out + &text[done..]
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::places;
    use toolpost_test_rows::each;

    #[test]
    fn pattern_holes_are_found() {
        let rows: [(&str, &[&str]); 4] = [
            ("f($A, $$$B, $$$, $_)", &["$A", "$$$B", "$$$", "$_"]),
            ("$a $ $1 \"$\" $$$1", &[]),
            ("$$A $$ $$$$A", &["$$A"]),
            ("", &[]),
        ];
        each(rows, |(text, wanted)| {
            let found: Vec<&str> = places(text).into_iter().map(|place| &text[place]).collect();
            assert_eq!(found, wanted, "{text}");
        });
    }
}
