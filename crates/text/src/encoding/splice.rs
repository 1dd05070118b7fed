//! Replacing parts of a text without touching the rest.

use std::borrow::Cow;
use std::ops::Range;

use super::decode::{encode, stored, unit};
use super::{Encoding, Text, with_crlf};
use crate::lines::lf;

/// A part of the view and what comes in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    /// The range, in offsets of the view.
    pub range: Range<usize>,
    /// The new text; CRLF in it counts as LF.
    pub new: String,
}

/// A reason for which a text cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpliceError {
    /// The ranges do not fit the text.
    #[error(
        "cannot replace {start}..{end}: the range is outside the text, splits a character, or overlaps the previous change"
    )]
    Range {
        /// Start of the range.
        start: usize,
        /// End of the range.
        end: usize,
    },
    /// The file's encoding is unknown, so only ASCII can be written.
    #[error(
        "the file is not UTF-8 and its encoding is unknown, so {character:?} cannot be written; \
         specify its encoding (such as windows-1252, gbk or shift_jis) or use ASCII only"
    )]
    Unknown {
        /// The first character that is not ASCII.
        character: char,
    },
    /// The file's encoding does not have a character.
    #[error(
        "the file is {encoding}, which has no {character:?}; use other characters or convert the file first"
    )]
    Misfit {
        /// The first character that is missing.
        character: char,
        /// The encoding's name.
        encoding: &'static str,
    },
    /// The encoded bytes decode to another text.
    #[error("the change cannot be encoded in {encoding} without loss; convert the file to UTF-8 first")]
    Unstable {
        /// The encoding's name.
        encoding: &'static str,
    },
}

impl Text {
    /// Replaces parts of the view, in order, and returns the file's new bytes.
    ///
    /// Bytes outside the parts stay the same, and so does the common beginning and end of a part and its new text. New line
    /// breaks take the kind that the part had; else the kind around it; else the commonest of the file.
    ///
    /// # Errors
    ///
    /// When a range does not fit the view or the encoding cannot hold the new text; nothing is changed then.
    pub fn splice(&self, splices: &[Splice]) -> Result<Vec<u8>, SpliceError> {
        let view = self.view();
        let mut out = Vec::with_capacity(
            self.bytes().len() + splices.iter().map(|splice| splice.new.len()).sum::<usize>(),
        );
        out.extend_from_slice(&self.bytes()[..self.bom()]);
        let mut wanted = String::new();
        let (mut done, mut raw) = (0, self.bom());
        for splice in splices {
            let Range { start, end } = splice.range;
            let fits =
                done <= start && start <= end && view.is_char_boundary(start) && view.is_char_boundary(end);
            if !fits {
                return Err(SpliceError::Range { start, end });
            }
            let old = &view[start..end];
            // The view itself can have a carriage return before a break; text that was read may be written back.
            let new = if splice.new == old { Cow::Borrowed(old) } else { lf(&splice.new) };
            let (range, new) = narrow(view, &splice.range, &new);
            let new = self.broken(&splice.range, &range, new);
            let upto = raw + self.stored(done..range.start);
            out.extend_from_slice(&self.bytes()[raw..upto]);
            out.extend_from_slice(&self.encoded(&new)?);
            if matches!(self.encoding(), Encoding::Named(_)) {
                wanted.push_str(&view[done..range.start]);
                wanted.push_str(&lf(&new));
            }
            raw = upto + self.stored(range.clone());
            done = range.end;
        }
        out.extend_from_slice(&self.bytes()[raw..]);
        self.reads_as(&out, wanted, &view[done..])?;
        Ok(out)
    }

    /// Encodes new text; fails with the first character that the encoding lacks.
    pub(super) fn encoded(&self, new: &str) -> Result<Vec<u8>, SpliceError> {
        encode(new, self.encoding()).map_err(|character| match self.encoding() {
            Encoding::EightBit => SpliceError::Unknown { character },
            other => SpliceError::Misfit { character, encoding: other.name() },
        })
    }

    /// Checks that a configured encoding decodes the new bytes to the intended text.
    pub(super) fn reads_as(&self, bytes: &[u8], mut wanted: String, rest: &str) -> Result<(), SpliceError> {
        let Encoding::Named(charset) = self.encoding() else { return Ok(()) };
        wanted.push_str(rest);
        let found = charset.decode_without_bom_handling_and_without_replacement(bytes);
        match found {
            Some(found) if lf(&found) == wanted => Ok(()),
            _ => Err(SpliceError::Unstable { encoding: charset.name() }),
        }
    }

    /// Counts the bytes that a part of the view takes in the file.
    fn stored(&self, range: Range<usize>) -> usize {
        let breaks = self.crlf_within(&range) * unit(self.encoding());
        stored(&self.view()[range], self.encoding()) + breaks
    }

    /// Converts the line breaks of new text to those of its place.
    fn broken<'a>(&self, whole: &Range<usize>, range: &Range<usize>, new: &'a str) -> Cow<'a, str> {
        if self.crlf().is_empty() || !new.contains('\n') {
            return Cow::Borrowed(new);
        }
        let kind = self.uniform(whole).or_else(|| self.uniform(range)).or_else(|| self.around(range));
        match kind.unwrap_or_else(|| self.commonest()) {
            Break::Lf => Cow::Borrowed(new),
            Break::CrLf => with_crlf(new),
        }
    }

    /// Finds the kind of the breaks inside a part, if there is one and only one.
    fn uniform(&self, range: &Range<usize>) -> Option<Break> {
        let all = memchr::memchr_iter(b'\n', &self.view().as_bytes()[range.clone()]).count();
        match self.crlf_within(range) {
            _ if all == 0 => None,
            0 => Some(Break::Lf),
            some if some == all => Some(Break::CrLf),
            _ => None,
        }
    }

    /// Finds the kind of the breaks before and after a part, if they agree.
    fn around(&self, range: &Range<usize>) -> Option<Break> {
        let view = self.view().as_bytes();
        let before = memchr::memrchr(b'\n', &view[..range.start]).map(|at| self.kind(at));
        let after = memchr::memchr(b'\n', &view[range.end..]).map(|at| self.kind(range.end + at));
        match (before, after) {
            (Some(before), Some(after)) => (before == after).then_some(before),
            (one, other) => one.or(other),
        }
    }

    /// Finds the commonest kind of the file; the first seen, if they are equally common.
    fn commonest(&self) -> Break {
        let (crlf, lone) = (self.crlf().len(), self.lone());
        if crlf == lone {
            return memchr::memchr(b'\n', self.view().as_bytes()).map_or(Break::Lf, |at| self.kind(at));
        }
        if crlf > lone { Break::CrLf } else { Break::Lf }
    }

    /// Returns the line break in the file for a line feed of the view.
    fn kind(&self, at: usize) -> Break {
        if self.crlf().binary_search(&at).is_ok() { Break::CrLf } else { Break::Lf }
    }
}

/// A kind of line break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Break {
    Lf,
    CrLf,
}

/// Leaves out of a change what old and new text have in common at both ends.
fn narrow<'a>(view: &str, range: &Range<usize>, new: &'a str) -> (Range<usize>, &'a str) {
    let old = &view[range.clone()];
    let head = old.floor_char_boundary(old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count());
    let (old, new) = (&old[head..], &new[head..]);
    let same = old.bytes().rev().zip(new.bytes().rev()).take_while(|(a, b)| a == b).count();
    let tail = old.len() - old.ceil_char_boundary(old.len() - same);
    (range.start + head..range.end - tail, &new[..new.len() - tail])
}
