//! Cursors of search answers: a cursor is a text that contains the whole position, so that it outlives the
//! process.

use super::{Matching, Request, Tests};
use std::fmt;
use toolpost_index::ranked::Key;
use toolpost_workspace::hash;

/// The position at which a later answer continues.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cursor {
    /// The hash of the query it belongs to.
    pub(super) question: u64,
    /// The fingerprint of the files.
    pub(super) print: u64,
    pub(super) place: Place,
}

/// A position in the order of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Place {
    /// After this block.
    Behind(Key),
    /// Nothing is left.
    End,
}

/// The prefix of a cursor.
const SIGN: &str = "next";

impl Cursor {
    /// Returns a hash of everything that determines the results.
    pub(super) fn question(request: &Request) -> u64 {
        let exact = if request.matching == Matching::Exact { "exact" } else { "query" };
        let tests = if request.tests == Tests::Searched { "all" } else { "code" };
        let all = [exact, tests, &request.base.display(), &request.query].join("\0");
        let mut first = [0; 8];
        first.copy_from_slice(&hash(all.as_bytes()).as_bytes()[..8]);
        u64::from_le_bytes(first)
    }

    /// Returns the key under which a session stores the progress of a query.
    pub(super) fn key(name: &str, request: &Request) -> String {
        format!("{:016x} {name}", Self::question(request))
    }

    /// Parses a cursor; `None` if the text is not one.
    pub(super) fn read(said: &str) -> Option<Self> {
        let mut parts = said.trim().splitn(6, '-');
        if parts.next()? != SIGN {
            return None;
        }
        let mut number = || u64::from_str_radix(parts.next()?, 16).ok();
        let (question, print) = (number()?, number()?);
        let place = match number() {
            None => Place::End,
            Some(score) => {
                let score = f64::from_bits(score);
                let first = parts.next()?.parse().ok()?;
                Place::Behind(Key { score, first, path: parts.next()?.to_owned() })
            }
        };
        Some(Self { question, print, place })
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{SIGN}-{:016x}-{:016x}", self.question, self.print)?;
        match &self.place {
            Place::Behind(key) => write!(out, "-{:016x}-{}-{}", key.score.to_bits(), key.first, key.path),
            Place::End => out.write_str("-end"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Cursor, Place};
    use toolpost_index::ranked::Key;

    #[test]
    fn cursors_are_read_as_they_are_written() {
        let key = Key { score: 12.5, path: "a-b/c d.rs".to_owned(), first: 7 };
        for place in [Place::Behind(key), Place::End] {
            let cursor = Cursor { question: 0xfeed, print: u64::MAX, place };
            assert_eq!(Cursor::read(&cursor.to_string()), Some(cursor));
        }
        for said in ["", "abcd", "next-", "next-1", "next-x-y-z", "next-1-2-3", "next-1-2-3-x-y"] {
            assert_eq!(Cursor::read(said), None, "{said}");
        }
    }
}
