//! Where an answer goes on: said in a text that holds all that is needed for it, so that it outlives the process.

use super::{Matching, Request, Tests};
use std::fmt;
use toolpost_index::ranked::Key;
use toolpost_workspace::hash;

/// Where an answer goes on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cursor {
    /// To which question it belongs.
    pub(super) question: u64,
    /// What the files were.
    pub(super) print: u64,
    pub(super) place: Place,
}

/// Where in the order of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Place {
    /// Behind this block.
    Behind(Key),
    /// Nothing is left.
    End,
}

/// How a cursor begins.
const SIGN: &str = "next";

impl Cursor {
    /// Makes a number of all that decides what is found.
    pub(super) fn question(request: &Request) -> u64 {
        let exact = if request.matching == Matching::Exact { "exact" } else { "query" };
        let tests = if request.tests == Tests::Searched { "all" } else { "code" };
        let all = [exact, tests, &request.base.display(), &request.query].join("\0");
        let mut first = [0; 8];
        first.copy_from_slice(&hash(all.as_bytes()).as_bytes()[..8]);
        u64::from_le_bytes(first)
    }

    /// Makes the name under which a session remembers how far a question was answered.
    pub(super) fn key(name: &str, request: &Request) -> String {
        format!("{:016x} {name}", Self::question(request))
    }

    /// Reads a cursor; none if it is something else.
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
