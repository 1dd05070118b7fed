//! The words of the paths of files: of each part of a word the files in whose paths it stands, and where.

use std::collections::HashMap;

use crate::ranked::tokens::{self, tokens};
use crate::ranked::varint;

/// The parts of the words of paths.
#[derive(Default)]
pub(crate) struct Paths(HashMap<Box<str>, Places>);

/// Files with a place in the path of each: as distances, in as few bytes as these need.
#[derive(Default)]
struct Places {
    last: u32,
    bytes: Vec<u8>,
}

impl Paths {
    /// Takes a path apart; the numbers of files never fall.
    pub(crate) fn add(&mut self, file: u32, shown: &str) {
        way(shown, |token, position| match self.0.get_mut(token) {
            Some(places) => places.add(file, position),
            None => self.0.entry(token.into()).or_default().add(file, position),
        });
    }

    /// Lists the files in whose paths a token stands, and where.
    pub(crate) fn each(&self, token: &str, take: impl FnMut(u32, u32)) {
        if let Some(places) = self.0.get(token) {
            places.each(take);
        }
    }

    /// Tells whether a token stands in a path.
    pub(crate) fn holds(&self, token: &str) -> bool {
        self.0.contains_key(token)
    }

    /// Lists the tokens of all paths.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(AsRef::as_ref)
    }
}

impl Places {
    fn add(&mut self, file: u32, position: u32) {
        varint::write(&mut self.bytes, file - self.last);
        varint::write(&mut self.bytes, position);
        self.last = file;
    }

    fn each(&self, mut take: impl FnMut(u32, u32)) {
        let (mut rest, mut file) = (self.bytes.as_slice(), 0);
        while let (Some(distance), Some(position)) = (varint::read(&mut rest), varint::read(&mut rest)) {
            file += distance;
            take(file, position);
        }
    }
}

/// Takes a path apart: the parts of its words with their places; a gap of one stands between words.
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
