//! A file's bytes, and the text that a model sees.

use std::borrow::Cow;
use std::ops::Range;

use encoding_rs::Encoding as Charset;
use memchr::memmem;

use super::decode::{decode, shown, stored, unit};
use super::{Encoding, Eol, Indent};

/// A reason why the bytes of a file are not text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotTextError {
    /// A NUL byte is near the beginning, and no byte order mark explains it.
    #[error("this is a binary file: byte {at} is NUL, and there is no byte order mark")]
    Binary {
        /// Offset of the NUL byte.
        at: usize,
    },
    /// The file contains bytes that are invalid in the encoding that its byte order mark indicates.
    #[error(
        "the byte order mark is that of {encoding}, but the file is invalid at byte {at}; repair it first"
    )]
    Malformed {
        /// Name of the encoding that the byte order mark indicates.
        encoding: &'static str,
        /// Offset of the first byte that is invalid in this encoding.
        at: usize,
    },
}

/// A file's bytes and its view: the decoded text that models see and that edits refer to.
///
/// The view hides the byte order mark and shows CRLF as LF, and changes nothing else. Offsets into the view
/// are bytes of its UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    store: Store,
    encoding: Encoding,
    bom: usize,
    crlf: Vec<usize>,
}

/// The bytes of a file and its view (the decoded text), stored once if they are the same.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Store {
    Same(String),
    Apart { bytes: Vec<u8>, view: String },
}

impl Text {
    /// Decodes a file's bytes. The encoding `configured` is used only for a file without a byte order mark that fits
    /// it; UTF-8 text with characters other than ASCII, and without NUL bytes, never fits.
    ///
    /// # Errors
    ///
    /// If the bytes are binary, or have the byte order mark of UTF-16 or UTF-32 and are invalid in that encoding.
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
    /// In an unknown 8-bit encoding, each byte above ASCII is represented by a private-use character, which
    /// users do not type by accident.
    #[must_use]
    pub fn view(&self) -> &str {
        match &self.store {
            Store::Same(whole) => &whole[self.bom..],
            Store::Apart { view, .. } => view,
        }
    }

    /// Converts a part of [`Text::view`] for display: in an unknown 8-bit encoding, private-use characters become
    /// windows-1252 glyphs or U+FFFD.
    #[must_use]
    pub fn shown<'a>(&self, part: &'a str) -> Cow<'a, str> {
        if self.encoding == Encoding::EightBit && !part.is_ascii() {
            Cow::Owned(shown(part))
        } else {
            Cow::Borrowed(part)
        }
    }

    /// Returns the bytes of the file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match &self.store {
            Store::Same(whole) => whole.as_bytes(),
            Store::Apart { bytes, .. } => bytes,
        }
    }

    /// Returns the encoding of the file.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Returns the size of the byte order mark in bytes; 0 if the file has none.
    #[must_use]
    pub fn bom(&self) -> usize {
        self.bom
    }

    /// Returns the kind of line breaks in the file.
    #[must_use]
    pub fn eol(&self) -> Eol {
        match (self.crlf.len(), self.lone()) {
            (0, 0) => Eol::None,
            (0, _) => Eol::Lf,
            (_, 0) => Eol::CrLf,
            _ => Eol::Mixed,
        }
    }

    /// Returns the kind of indentation in the file.
    #[must_use]
    pub fn indent(&self) -> Indent {
        Indent::of(self.view())
    }

    /// Converts an offset of [`Text::view`] to an offset in the file; `None` if the offset is inside a
    /// character or after the end.
    ///
    /// For a line feed that is CRLF in the file, this is the offset of the carriage return.
    #[must_use]
    pub fn raw(&self, offset: usize) -> Option<usize> {
        let before = self.view().get(..offset)?;
        Some(self.bom + stored(before, self.encoding) + self.crlf_within(&(0..offset)) * unit(self.encoding))
    }

    /// Returns the offsets, in [`Text::view`], of the line feeds that are CRLF in the file.
    pub(super) fn crlf(&self) -> &[usize] {
        &self.crlf
    }

    /// Counts the line breaks that are CRLF in the file, in a range of [`Text::view`].
    pub(super) fn crlf_within(&self, range: &Range<usize>) -> usize {
        let before = |offset: usize| self.crlf.partition_point(|&at| at < offset);
        before(range.end) - before(range.start)
    }

    /// Counts the line breaks that are a single line feed in the file.
    pub(super) fn lone(&self) -> usize {
        memchr::memchr_iter(b'\n', self.view().as_bytes()).count() - self.crlf.len()
    }
}

/// Converts CRLF to LF. Returns the new text and the offsets of these line feeds in it; `None` if the text
/// has no CRLF.
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
