//! File names that look alike.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// In what two names differ that look alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// In nothing.
    None,
    /// In how accents are composed (NFC or NFD).
    Composition,
    /// In the kind of a space.
    Space,
    /// In the kind of an apostrophe or quote.
    Apostrophe,
    /// In upper and lower case.
    Case,
    /// In more than one of these.
    Several,
}

/// Returns the key shared by all names that look alike.
#[must_use]
pub fn variants(name: &str) -> String {
    case(&apostrophe(&space(&composition(name)))).into_owned()
}

/// Describes the difference between two names that look alike.
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

/// Picks the candidates whose last part is the likest to that of a wanted path, the likest first.
///
/// Names that share neither most of their letters nor their beginning are left out.
#[must_use]
pub fn suggest<'a>(wanted: &str, candidates: &[&'a str], max: usize) -> Vec<&'a str> {
    let name = variants(basename(wanted));
    let wanted: Vec<char> = name.chars().take(MAX_NAME).collect();
    let allowed = allowed(wanted.len());
    let mut found: Vec<(usize, &'a str)> = Vec::new();
    for &candidate in candidates {
        let last = basename(candidate);
        // For plain ASCII, the length is known before any conversion.
        if wanted.is_empty() || (last.is_ascii() && last.len().min(MAX_NAME).abs_diff(wanted.len()) > allowed)
        {
            continue;
        }
        let key: Vec<char> = match last.is_ascii() {
            true => last.chars().take(MAX_NAME).map(plain).collect(),
            false => variants(last).chars().take(MAX_NAME).collect(),
        };
        if key.len().abs_diff(wanted.len()) > allowed {
            continue;
        }
        let away = between(&wanted, &key);
        if away <= allowed && away < wanted.len().max(key.len()) {
            found.push((away, candidate));
        }
    }
    found.sort_by(|a, b| (a.0, a.1.len(), a.1).cmp(&(b.0, b.1.len(), b.1)));
    found.into_iter().take(max).map(|(_, candidate)| candidate).collect()
}

/// Returns the maximum edit distance at which a name is suggested for a wanted one.
#[must_use]
pub fn tolerance(wanted: &str) -> usize {
    allowed(variants(basename(wanted)).chars().take(MAX_NAME).count())
}

fn allowed(letters: usize) -> usize {
    (letters / 3).max(2)
}

/// Writes a letter of ASCII as [`variants`] does.
fn plain(letter: char) -> char {
    match letter {
        '`' => '\'',
        // The only character that is a space but not a control character.
        other => other.to_ascii_lowercase(),
    }
}

/// Counts the letters to insert, drop, change or swap with a neighbour until one name is the other.
#[must_use]
pub fn distance(left: &str, right: &str) -> usize {
    let letters = |name: &str| name.chars().take(MAX_NAME).collect::<Vec<char>>();
    between(&letters(left), &letters(right))
}

/// Longer names are compared by their beginning.
const MAX_NAME: usize = 255;

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

/// Returns the last part of a path.
fn basename(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

fn between(a: &[char], b: &[char]) -> usize {
    let width = b.len() + 1;
    let mut before: Vec<usize> = vec![0; width];
    let mut above: Vec<usize> = (0..width).collect();
    let mut row: Vec<usize> = vec![0; width];
    for (i, &left) in a.iter().enumerate() {
        row[0] = i + 1;
        for (j, &right) in b.iter().enumerate() {
            let change = above[j] + usize::from(left != right);
            row[j + 1] = change.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && left == b[j - 1] && a[i - 1] == right {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        std::mem::swap(&mut before, &mut above);
        std::mem::swap(&mut above, &mut row);
    }
    above[width - 1]
}
