//! File names that look alike, and suggestions for a misspelled name.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// The difference between two names that look alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// The names are equal.
    None,
    /// The composition of accents (NFC or NFD) differs.
    Composition,
    /// The kinds of spaces differ.
    Space,
    /// The kinds of apostrophes or quotes differ.
    Apostrophe,
    /// Upper and lower case differ.
    Case,
    /// Several of the composition, spaces, apostrophes and case differ.
    Several,
}

/// Returns a key that is equal for all names that look alike.
#[must_use]
pub fn variants(name: &str) -> String {
    case(&apostrophe(&space(&composition(name)))).into_owned()
}

/// Describes the difference between two names that look alike; `None` if they do not look alike.
#[must_use]
pub fn same_key(a: &str, b: &str) -> Option<Difference> {
    if a == b {
        return Some(Difference::None);
    }
    if variants(a) != variants(b) {
        return None;
    }
    let single: [(Fold, Difference); 4] = [
        (composition, Difference::Composition),
        (space, Difference::Space),
        (apostrophe, Difference::Apostrophe),
        (case, Difference::Case),
    ];
    Some(
        single
            .into_iter()
            .find(|(fold, _)| fold(a) == fold(b))
            .map_or(Difference::Several, |(_, found)| found),
    )
}

/// Selects up to `max` candidates whose last path component is most similar to that of the requested path `wanted`,
/// the most similar first.
///
/// Names with an edit distance above [`tolerance`], or without any common letter, are omitted.
#[must_use]
pub fn suggest<'a>(wanted: &str, candidates: &[&'a str], max: usize) -> Vec<&'a str> {
    let name = variants(basename(wanted));
    let wanted = beginning(&name);
    let letters = wanted.chars().count();
    let allowed = allowed(letters);
    let mut found: Vec<(usize, &'a str)> = Vec::new();
    for &candidate in candidates {
        let last = basename(candidate);
        // A plain ASCII name has as many letters as bytes, so a name that is too short or too long is skipped before
        // its key is computed.
        if wanted.is_empty() || (last.is_ascii() && last.len().min(MAX_NAME).abs_diff(letters) > allowed) {
            continue;
        }
        let key: String = match last.is_ascii() {
            true => last.chars().take(MAX_NAME).map(plain).collect(),
            false => beginning(&variants(last)),
        };
        let length = key.chars().count();
        if length.abs_diff(letters) > allowed {
            continue;
        }
        let away = strsim::osa_distance(&wanted, &key);
        if away <= allowed && away < letters.max(length) {
            found.push((away, candidate));
        }
    }
    found.sort_by(|a, b| (a.0, a.1.len(), a.1).cmp(&(b.0, b.1.len(), b.1)));
    found.into_iter().take(max).map(|(_, candidate)| candidate).collect()
}

/// Returns the maximum edit distance from `wanted` at which a name is suggested.
#[must_use]
pub fn tolerance(wanted: &str) -> usize {
    allowed(variants(basename(wanted)).chars().take(MAX_NAME).count())
}

fn allowed(letters: usize) -> usize {
    (letters / 3).max(2)
}

/// Converts an ASCII character as [`variants`] does.
fn plain(letter: char) -> char {
    match letter {
        '`' => '\'',
        // In ASCII, only the space itself is white space and not a control character, so it stays.
        other => other.to_ascii_lowercase(),
    }
}

/// Returns the edit distance of two names: the number of letters to insert, delete, replace, or swap with a
/// neighbour.
#[must_use]
pub fn distance(left: &str, right: &str) -> usize {
    strsim::osa_distance(&beginning(left), &beginning(right))
}

/// Maximum number of characters of a name that are compared.
const MAX_NAME: usize = 255;

fn beginning(name: &str) -> String {
    name.chars().take(MAX_NAME).collect()
}

type Fold = fn(&str) -> Cow<'_, str>;

fn composition(name: &str) -> Cow<'_, str> {
    if name.is_ascii() { Cow::Borrowed(name) } else { Cow::Owned(name.nfc().collect()) }
}

fn space(name: &str) -> Cow<'_, str> {
    let plain = |c: char| if c.is_whitespace() && !c.is_control() { ' ' } else { c };
    Cow::Owned(name.chars().map(plain).collect())
}

fn apostrophe(name: &str) -> Cow<'_, str> {
    let plain = |c: char| match c {
        '\u{2018}' | '\u{2019}' | '\u{201A}' | '\u{201B}' | '\u{02BC}' | '\u{2032}' | '\u{00B4}' | '`' => {
            '\''
        }
        '\u{201C}' | '\u{201D}' | '\u{201E}' | '\u{201F}' | '\u{2033}' => '"',
        other => other,
    };
    Cow::Owned(name.chars().map(plain).collect())
}

fn case(name: &str) -> Cow<'_, str> {
    Cow::Owned(name.to_lowercase())
}

/// Returns the last component of a path.
fn basename(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}
