//! A file's bytes, and the text that a model sees.

use std::borrow::Cow;
use std::ops::Range;

use encoding_rs::Encoding as Charset;
use memchr::memmem;

use super::decode::{decode, shown, stored, unit};
use super::{Encoding, Eol, Indent};

/// A reason for which bytes are not a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotTextError {
    /// A NUL byte near the beginning, and no byte order mark that explains it.
    #[error("this is a binary file: byte {at} is NUL, and there is no byte order mark")]
    Binary {
        /// The offset of the byte.
        at: usize,
    },
    /// The byte order mark promises an encoding that the rest does not keep.
    #[error(
        "the byte order mark is that of {encoding}, but the file is invalid at byte {at}; repair it first"
    )]
    Malformed {
        /// The encoding that was promised.
        encoding: &'static str,
        /// The offset of the first byte that does not fit.
        at: usize,
    },
}

/// A file's bytes, and the view on which edits work.
///
/// The view hides the byte order mark and shows CRLF as LF, and changes nothing else. Offsets into the view are bytes
/// of its UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    store: Store,
    encoding: Encoding,
    bom: usize,
    crlf: Vec<usize>,
}

/// Bytes and view, stored once if they are the same.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Store {
    Same(String),
    Apart { bytes: Vec<u8>, view: String },
}

impl Text {
    /// Opens a file's bytes; `configured` applies only without a byte order mark and if the bytes are not UTF-8.
    ///
    /// # Errors
    ///
    /// When the bytes are binary, or break the promise of their byte order mark.
    pub fn open(bytes: Vec<u8>, configured: Option<&'static Charset>) -> Result<Self, NotTextError> {
        let found = decode(&bytes, configured)?;
        let (encoding, bom) = (found.encoding, found.bom);
        let (store, crlf) = match found.text {
            Some(text) => {
                let (view, crlf) = fold(&text).unwrap_or((text, Vec::new()));
                (Store::Apart { bytes, view }, crlf)
            }
            None => match String::from_utf8(bytes) {
                Ok(whole) => match fold(&whole[bom..]) {
                    Some((view, crlf)) => (Store::Apart { bytes: whole.into_bytes(), view }, crlf),
                    None => (Store::Same(whole), Vec::new()),
                },
                Err(error) => {
                    return Err(NotTextError::Malformed {
                        encoding: "UTF-8",
                        at: error.utf8_error().valid_up_to(),
                    });
                }
            },
        };
        Ok(Self { store, encoding, bom, crlf })
    }

    /// Returns the text with LF line breaks and without a byte order mark.
    ///
    /// In an unknown 8-bit encoding, each byte above ASCII is a private-use character, which users do not type by accident.
    #[must_use]
    pub fn view(&self) -> &str {
        match &self.store {
            Store::Same(whole) => &whole[self.bom..],
            Store::Apart { view, .. } => view,
        }
    }

    /// Writes a part of the view for people: private characters become windows-1252 glyphs or U+FFFD.
    #[must_use]
    pub fn shown<'a>(&self, part: &'a str) -> Cow<'a, str> {
        if self.encoding == Encoding::EightBit && !part.is_ascii() {
            Cow::Owned(shown(part))
        } else {
            Cow::Borrowed(part)
        }
    }

    /// Returns the file's bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match &self.store {
            Store::Same(whole) => whole.as_bytes(),
            Store::Apart { bytes, .. } => bytes,
        }
    }

    /// Returns the encoding.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Counts the bytes of the byte order mark.
    #[must_use]
    pub fn bom(&self) -> usize {
        self.bom
    }

    /// Returns the kind of line breaks.
    #[must_use]
    pub fn eol(&self) -> Eol {
        match (self.crlf.len(), self.lone()) {
            (0, 0) => Eol::None,
            (0, _) => Eol::Lf,
            (_, 0) => Eol::CrLf,
            _ => Eol::Mixed,
        }
    }

    /// Returns the kind of indentation.
    #[must_use]
    pub fn indent(&self) -> Indent {
        Indent::of(self.view())
    }

    /// Returns the offset in the file for an offset of the view; none if it is inside a character.
    ///
    /// The offset of a line feed that was CRLF begins at its carriage return.
    #[must_use]
    pub fn raw(&self, offset: usize) -> Option<usize> {
        let before = self.view().get(..offset)?;
        Some(self.bom + stored(before, self.encoding) + self.crlf_within(&(0..offset)) * unit(self.encoding))
    }

    /// Returns the offsets of the line feeds that are CRLF in the file.
    pub(super) fn crlf(&self) -> &[usize] {
        &self.crlf
    }

    /// Counts the CRLF breaks in a part of the view.
    pub(super) fn crlf_within(&self, range: &Range<usize>) -> usize {
        let before = |offset: usize| self.crlf.partition_point(|&at| at < offset);
        before(range.end) - before(range.start)
    }

    /// Counts the breaks that are a line feed alone.
    pub(super) fn lone(&self) -> usize {
        memchr::memchr_iter(b'\n', self.view().as_bytes()).count() - self.crlf.len()
    }
}

/// Turns CRLF into LF and returns the offsets of those line feeds; none without CRLF.
fn fold(text: &str) -> Option<(String, Vec<usize>)> {
    let mut found = memmem::find_iter(text.as_bytes(), b"\r\n").peekable();
    found.peek()?;
    let mut view = String::with_capacity(text.len());
    let mut crlf = Vec::new();
    let mut last = 0;
    for at in found {
        view.push_str(&text[last..at]);
        crlf.push(view.len());
        last = at + 1;
    }
    view.push_str(&text[last..]);
    Some((view, crlf))
}
