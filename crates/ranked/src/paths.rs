//! Tokens of file paths: for each token, the files and the positions in their paths.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::tokens::{self, tokens};
use crate::varint;

/// Occurrences in new paths are packed if there are at least `NEW.0` of them, and at least `1 / NEW.1` as many as
/// packed ones.
const NEW: (usize, usize) = (1 << 14, 4);

/// The tokens of all file paths, each with its occurrences.
///
/// Those of recently added paths are in a map; the others are packed into few allocations to save memory.
#[derive(Default)]
pub(crate) struct Paths {
    packed: PackedTokens,
    new: HashMap<Box<str>, Places>,
    /// The number of occurrences since the last packing, and the number of packed occurrences.
    came: usize,
    count: usize,
}

/// The occurrences of a token in paths: file numbers, each with a position in the path, as variable-length integers.
/// File numbers are delta-encoded.
#[derive(Default)]
struct Places {
    /// The file number to which the first encoded difference is relative.
    first: u32,
    last: u32,
    bytes: Vec<u8>,
}

/// The packed tokens in sorted order, with the occurrences of each.
#[derive(Default)]
struct PackedTokens {
    /// All tokens, concatenated.
    tokens: String,
    /// The occurrences of all tokens, concatenated; the first file number of each token is relative to 0.
    places: Vec<u8>,
    entries: Vec<Entry>,
}

/// The data of a packed token.
#[derive(Clone, Copy)]
struct Entry {
    /// The end of the token's text in `PackedTokens::tokens`, and the end of its occurrences in `PackedTokens::places`.
    token: u32,
    places: u32,
    /// The number of the last file whose path contains the token.
    last: u32,
}

impl Paths {
    /// Adds the tokens of a file's path. File numbers must not decrease from call to call.
    pub(crate) fn add(&mut self, file: u32, shown: &str) {
        let Self { packed, new, came, .. } = self;
        way(shown, |token, position| {
            *came += 1;
            match new.get_mut(token) {
                Some(places) => places.add(file, position),
                None => {
                    let last = packed.find(token).map_or(0, |at| packed.entries[at].last);
                    let places =
                        new.entry(token.into()).or_insert(Places { first: last, last, bytes: Vec::new() });
                    places.add(file, position);
                }
            }
        });
        if self.came >= NEW.0.max(self.count / NEW.1) {
            self.pack();
        }
    }

    /// Calls `take` for each occurrence of a token, with the number of the file and the position in its path.
    pub(crate) fn each(&self, token: &str, mut take: impl FnMut(u32, u32)) {
        if let Some(at) = self.packed.find(token) {
            each(self.packed.places(at), 0, &mut take);
        }
        if let Some(places) = self.new.get(token) {
            each(&places.bytes, places.first, &mut take);
        }
    }

    /// Returns whether any path contains a token.
    pub(crate) fn holds(&self, token: &str) -> bool {
        self.new.contains_key(token) || self.packed.find(token).is_some()
    }

    /// Lists the tokens of all paths.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = &str> {
        let new = self.new.keys().map(AsRef::as_ref).filter(|token| self.packed.find(token).is_none());
        (0..self.packed.entries.len()).map(|at| self.packed.token(at)).chain(new)
    }

    /// Merges the occurrences since the last packing into the packed ones.
    fn pack(&mut self) {
        let mut new: Vec<(Box<str>, Places)> = std::mem::take(&mut self.new).into_iter().collect();
        new.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        let old = std::mem::take(&mut self.packed);
        let bytes: usize = new.iter().map(|(_, places)| places.bytes.len()).sum();
        let letters: usize = new.iter().map(|(token, _)| token.len()).sum();
        let mut packed = PackedTokens {
            tokens: String::with_capacity(old.tokens.len() + letters),
            places: Vec::with_capacity(old.places.len() + bytes),
            entries: Vec::with_capacity(old.entries.len() + new.len()),
        };
        let mut at = 0;
        for (token, places) in &new {
            while at < old.entries.len() && old.token(at) < &**token {
                packed.push(old.token(at), old.places(at), &[], old.entries[at].last);
                at += 1;
            }
            let mut known: &[u8] = &[];
            if at < old.entries.len() && old.token(at) == &**token {
                known = old.places(at);
                at += 1;
            }
            packed.push(token, known, &places.bytes, places.last);
        }
        for at in at..old.entries.len() {
            packed.push(old.token(at), old.places(at), &[], old.entries[at].last);
        }
        self.packed = packed;
        self.count += std::mem::take(&mut self.came);
    }
}

impl PackedTokens {
    fn push(&mut self, token: &str, one: &[u8], other: &[u8], last: u32) {
        self.tokens.push_str(token);
        self.places.extend_from_slice(one);
        self.places.extend_from_slice(other);
        let end = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        self.entries.push(Entry { token: end(self.tokens.len()), places: end(self.places.len()), last });
    }

    /// Returns the number of a packed token.
    fn find(&self, token: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.entries.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.token(middle).cmp(token) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Some(middle),
                Ordering::Greater => high = middle,
            }
        }
        None
    }

    fn token(&self, at: usize) -> &str {
        let from = at.checked_sub(1).map_or(0, |before| self.entries[before].token);
        &self.tokens[from as usize..self.entries[at].token as usize]
    }

    fn places(&self, at: usize) -> &[u8] {
        let from = at.checked_sub(1).map_or(0, |before| self.entries[before].places);
        &self.places[from as usize..self.entries[at].places as usize]
    }
}

impl Places {
    fn add(&mut self, file: u32, position: u32) {
        varint::write(&mut self.bytes, file - self.last);
        varint::write(&mut self.bytes, position);
        self.last = file;
    }
}

/// Decodes the occurrences of a token; the first file number is relative to `file`.
fn each(mut rest: &[u8], mut file: u32, take: &mut impl FnMut(u32, u32)) {
    while let (Some(distance), Some(position)) = (varint::read(&mut rest), varint::read(&mut rest)) {
        file += distance;
        take(file, position);
    }
}

/// Splits a path into tokens with positions. An identifier of several parts also has a token for the whole identifier,
/// at the position of its first part.
pub(crate) fn way(shown: &str, mut take: impl FnMut(&str, u32)) {
    let mut position = 0;
    for word in tokens::words(shown) {
        let tokens = tokens(word.text);
        if let Some(whole) = tokens.whole {
            take(&whole, position);
        }
        for part in tokens.parts {
            take(&part, position);
            position += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::{Paths, way};

    #[test]
    fn packed_and_unpacked_path_tokens_give_equal_results() {
        let mut paths = Paths::default();
        let mut wanted: BTreeMap<String, Vec<(u32, u32)>> = BTreeMap::new();
        let compare = |paths: &Paths, wanted: &BTreeMap<String, Vec<(u32, u32)>>| {
            let tokens: Vec<&str> = paths.tokens().collect();
            let once: BTreeSet<&str> = tokens.iter().copied().collect();
            assert_eq!(once.len(), tokens.len(), "the same token is listed twice");
            assert_eq!(once, wanted.keys().map(String::as_str).collect());
            for (token, places) in wanted {
                let mut found = Vec::new();
                paths.each(token, |file, position| found.push((file, position)));
                assert_eq!(found, *places, "{token}");
                assert!(paths.holds(token));
            }
            assert!(!paths.holds("nowhere"));
        };
        for file in 0..9_000_u32 {
            let shown = format!("net/part{}/fileNumber{}_{}.rs", file % 7, file % 911, file);
            way(&shown, |token, position| wanted.entry(token.to_owned()).or_default().push((file, position)));
            paths.add(file, &shown);
            if file % 3_000 == 17 {
                compare(&paths, &wanted);
            }
        }
        assert!(
            !paths.packed.entries.is_empty() && !paths.new.is_empty(),
            "packed and new tokens must both be tested"
        );
        compare(&paths, &wanted);
        paths.pack();
        assert!(paths.new.is_empty());
        compare(&paths, &wanted);
    }
}
