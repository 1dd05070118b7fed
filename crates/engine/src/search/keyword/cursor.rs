//! Cursors of search answers.
//!
//! A cursor is a string that contains the complete position in the results, so it stays valid after a restart.

use super::{Matching, Request, Tests};
use std::fmt;
use toolpost_ranked::Key;
use toolpost_workspace::hash;

/// The position in search results at which a later answer continues.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cursor {
    /// The hash of the query that the cursor belongs to.
    pub(super) question: u64,
    /// The fingerprint of the indexed files, to detect changes.
    pub(super) print: u64,
    pub(super) place: Place,
}

/// A position in the ranked list of matching blocks.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Place {
    /// After this block.
    Behind(Key),
    /// After the last matching block.
    End,
}

/// The prefix of a cursor in its text form.
const SIGN: &str = "next";
/// The last part of a cursor after the last matching block.
const END: &str = "end";

impl Cursor {
    /// Returns a hash of the parts of a search request that determine the results.
    pub(super) fn question(request: &Request) -> u64 {
        let exact = if request.matching == Matching::Exact { "exact" } else { "query" };
        let tests = if request.tests == Tests::Searched { "all" } else { "code" };
        let all = [exact, tests, &request.base.display(), &request.query].join("\0");
        let mut first = [0; 8];
        first.copy_from_slice(&hash(all.as_bytes()).as_bytes()[..8]);
        u64::from_le_bytes(first)
    }

    /// Returns the key under which a session stores the position in the results of a query; `name` is the session name
    /// in the request.
    pub(super) fn key(name: &str, request: &Request) -> String {
        format!("{:016x} {name}", Self::question(request))
    }

    /// Parses a cursor; `None` if the text is not one.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut parts = text.trim().splitn(6, '-');
        if parts.next()? != SIGN {
            return None;
        }
        let number = |digits: &str| u64::from_str_radix(digits, 16).ok();
        let (question, print) = (number(parts.next()?)?, number(parts.next()?)?);
        let place = match parts.next()? {
            END => match parts.next() {
                None => Place::End,
                Some(_) => return None,
            },
            score => {
                let score = f64::from_bits(number(score)?);
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
            Place::End => write!(out, "-{END}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Cursor, Place};
    use toolpost_ranked::Key;
    use toolpost_test_rows::each;

    #[test]
    fn cursors_round_trip_through_text() {
        let key = Key { score: 12.5, path: "a-b/c d.rs".to_owned(), first: 7 };
        for place in [Place::Behind(key), Place::End] {
            let cursor = Cursor { question: 0xfeed, print: u64::MAX, place };
            assert_eq!(Cursor::read(&cursor.to_string()), Some(cursor));
        }
        // Only the literal `end` means that no results follow: a damaged or shortened cursor is invalid.
        let ends = ["next-1-2", "next-1-2-", "next-1-2-en", "next-1-2-END", "next-1-2-end-7", "next-1-2-x"];
        let others = ["", "abcd", "next-", "next-1", "next-x-y-z", "next-1-2-3", "next-1-2-3-x-y"];
        each(ends.into_iter().chain(others), |text| {
            assert_eq!(Cursor::read(text), None, "{text}");
        });
    }
}
