//! Replacement of parts of a text, which keeps the other bytes of the file.

use std::borrow::Cow;
use std::ops::Range;

use super::decode::{encode, stored, unit};
use super::{Encoding, Text, with_crlf};
use crate::lines::lf;

/// A part of a text and its replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    /// The range to replace, in byte offsets of [`Text::view`].
    pub range: Range<usize>,
    /// The new text; CRLF in it counts as LF, unless the new text equals the old one.
    pub new: String,
}

/// A reason why a text cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpliceError {
    /// A range does not fit the text.
    #[error(
        "cannot replace {start}..{end}: the range is outside the text, splits a character, or overlaps the previous change"
    )]
    Range {
        /// Start of the range, as a byte offset.
        start: usize,
        /// End of the range, as a byte offset.
        end: usize,
    },
    /// The file's encoding is unknown, so only ASCII can be written.
    #[error(
        "the file is not UTF-8 and its encoding is unknown, so {character:?} cannot be written; \
         specify its encoding (such as windows-1252, gbk or shift_jis) or use ASCII only"
    )]
    Unknown {
        /// The first character of the new text that is not ASCII.
        character: char,
    },
    /// The file's encoding cannot represent a character of the new text.
    #[error(
        "the file is {encoding}, which has no {character:?}; use other characters or convert the file first"
    )]
    Misfit {
        /// The first character that the encoding lacks.
        character: char,
        /// Name of the file's encoding.
        encoding: &'static str,
    },
    /// The new text, encoded and decoded again, is a different text.
    #[error("the change cannot be encoded in {encoding} without loss; convert the file to UTF-8 first")]
    Unstable {
        /// Name of the file's encoding.
        encoding: &'static str,
    },
    /// The caller stopped the change.
    #[error("the change was stopped")]
    Stopped,
}

/// Number of replacements between two calls of the function that stops a change.
const BATCH: usize = 4096;

impl Text {
    /// Replaces parts of the text, in order, and returns the file's new bytes. The ranges are offsets of
    /// [`Text::view`].
    ///
    /// Bytes outside the parts stay the same, and so does the common beginning and end of a part and its new
    /// text. New line breaks have the kind of the replaced part if it has only one; otherwise the kind of the
    /// nearest ones before and after it if these agree; otherwise the most common kind of the file.
    ///
    /// # Errors
    ///
    /// If a range does not fit the text or the encoding cannot represent the new text; nothing is changed
    /// then.
    pub fn splice(&self, splices: &[Splice]) -> Result<Vec<u8>, SpliceError> {
        self.splice_until(splices, &|| false)
    }

    /// Replaces parts of the text like [`Text::splice`], but fails with [`SpliceError::Stopped`] if `stops` returns
    /// true; `stops` is called once in several thousand replacements.
    ///
    /// # Errors
    ///
    /// If a range does not fit the text, the encoding cannot represent the new text, or the change was stopped;
    /// nothing is changed then.
    pub fn splice_until(&self, splices: &[Splice], stops: &dyn Fn() -> bool) -> Result<Vec<u8>, SpliceError> {
        let view = self.view();
        let mut out = Vec::with_capacity(
            self.bytes().len() + splices.iter().map(|splice| splice.new.len()).sum::<usize>(),
        );
        out.extend_from_slice(&self.bytes()[..self.bom()]);
        let mut wanted = String::new();
        let (mut done, mut raw) = (0, self.bom());
        for (number, splice) in splices.iter().enumerate() {
            if number % BATCH == BATCH - 1 && stops() {
                return Err(SpliceError::Stopped);
            }
            let Range { start, end } = splice.range;
            let fits =
                done <= start && start <= end && view.is_char_boundary(start) && view.is_char_boundary(end);
            if !fits {
                return Err(SpliceError::Range { start, end });
            }
            let old = &view[start..end];
            // The decoded text has CRLF where the file has CR CRLF. Text that equals the old text is written
            // back unchanged.
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

    /// Encodes new text for the file; fails with the first character that the file's encoding lacks.
    pub(super) fn encoded(&self, new: &str) -> Result<Vec<u8>, SpliceError> {
        encode(new, self.encoding()).map_err(|character| match self.encoding() {
            Encoding::EightBit => SpliceError::Unknown { character },
            other => SpliceError::Misfit { character, encoding: other.name() },
        })
    }

    /// Checks that the new bytes, decoded in a configured encoding, are the intended text: `wanted`, then `rest`.
    /// Bytes in any other encoding are not checked.
    pub(super) fn reads_as(&self, bytes: &[u8], mut wanted: String, rest: &str) -> Result<(), SpliceError> {
        let Encoding::Named(charset) = self.encoding() else { return Ok(()) };
        wanted.push_str(rest);
        let found = charset.decode_without_bom_handling_and_without_replacement(bytes);
        match found {
            Some(found) if lf(&found) == wanted => Ok(()),
            _ => Err(SpliceError::Unstable { encoding: charset.name() }),
        }
    }

    /// Returns the size in bytes that a part of the text has in the file.
    fn stored(&self, range: Range<usize>) -> usize {
        let breaks = self.crlf_within(&range) * unit(self.encoding());
        stored(&self.view()[range], self.encoding()) + breaks
    }

    /// Converts the line breaks of new text to the kind that the replaced part, or the text around it, has.
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

    /// Returns the kind of the line breaks in a part of the text; `None` if it has none or both kinds.
    fn uniform(&self, range: &Range<usize>) -> Option<Break> {
        let all = memchr::memchr_iter(b'\n', &self.view().as_bytes()[range.clone()]).count();
        match self.crlf_within(range) {
            _ if all == 0 => None,
            0 => Some(Break::Lf),
            some if some == all => Some(Break::CrLf),
            _ => None,
        }
    }

    /// Returns the kind of the nearest line breaks before and after a part of the text; `None` if they differ or
    /// neither exists.
    fn around(&self, range: &Range<usize>) -> Option<Break> {
        let view = self.view().as_bytes();
        let before = memchr::memrchr(b'\n', &view[..range.start]).map(|at| self.kind(at));
        let after = memchr::memchr(b'\n', &view[range.end..]).map(|at| self.kind(range.end + at));
        match (before, after) {
            (Some(before), Some(after)) => (before == after).then_some(before),
            (one, other) => one.or(other),
        }
    }

    /// Returns the most common kind of line break in the file; if both are equally common, the kind of the
    /// first one.
    fn commonest(&self) -> Break {
        let (crlf, lone) = (self.crlf().len(), self.lone());
        if crlf == lone {
            return memchr::memchr(b'\n', self.view().as_bytes()).map_or(Break::Lf, |at| self.kind(at));
        }
        if crlf > lone { Break::CrLf } else { Break::Lf }
    }

    /// Returns the kind that a line break has in the file, given the offset of its line feed in
    /// [`Text::view`].
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

/// Reduces a change to the part between the common beginning and the common end of old and new text.
fn narrow<'a>(view: &str, range: &Range<usize>, new: &'a str) -> (Range<usize>, &'a str) {
    let old = &view[range.clone()];
    let head = old.floor_char_boundary(old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count());
    let (old, new) = (&old[head..], &new[head..]);
    let same = old.bytes().rev().zip(new.bytes().rev()).take_while(|(a, b)| a == b).count();
    let tail = old.len() - old.ceil_char_boundary(old.len() - same);
    (range.start + head..range.end - tail, &new[..new.len() - tail])
}
