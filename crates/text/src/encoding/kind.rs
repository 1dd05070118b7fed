//! Encodings, and a guess from the first bytes of a file.

use encoding_rs::Encoding as Charset;
use serde::{Serialize, Serializer};

/// A NUL byte within this many bytes makes a file binary.
pub const HEAD: usize = 8 * 1024;

/// A text encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8 without a byte order mark, or plain ASCII.
    Utf8,
    /// UTF-8 behind a byte order mark.
    Utf8Bom,
    /// UTF-16, low byte first.
    Utf16Le,
    /// UTF-16, high byte first.
    Utf16Be,
    /// UTF-32, low byte first.
    Utf32Le,
    /// UTF-32, high byte first.
    Utf32Be,
    /// Not UTF-8 and not configured: only ASCII is known.
    EightBit,
    /// The encoding that was configured.
    Named(&'static Charset),
}

impl Encoding {
    /// Returns the usual name of the encoding.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf8Bom => "UTF-8 with BOM",
            Self::Utf16Le => "UTF-16LE",
            Self::Utf16Be => "UTF-16BE",
            Self::Utf32Le => "UTF-32LE",
            Self::Utf32Be => "UTF-32BE",
            Self::EightBit => "unknown 8-bit",
            Self::Named(charset) => charset.name(),
        }
    }
}

impl Serialize for Encoding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A guess from the first bytes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EncodingGuess {
    /// Text, probably in this encoding.
    Text(Encoding),
    /// Not text: there is a NUL byte, and no byte order mark that explains it.
    Binary {
        /// Offset of the NUL.
        nul: usize,
    },
}

/// Guesses the encoding from the first bytes of a file; [`HEAD`] of them are enough.
///
/// A character that the end of `head` cuts in two does not count against UTF-8.
#[must_use]
pub fn sniff(head: &[u8]) -> EncodingGuess {
    if let Some((encoding, _)) = bom(head) {
        return EncodingGuess::Text(encoding);
    }
    if let Some(nul) = memchr::memchr(0, &head[..head.len().min(HEAD)]) {
        return EncodingGuess::Binary { nul };
    }
    match std::str::from_utf8(head) {
        Ok(_) => EncodingGuess::Text(Encoding::Utf8),
        Err(error) if error.error_len().is_none() => EncodingGuess::Text(Encoding::Utf8),
        Err(_) => EncodingGuess::Text(Encoding::EightBit),
    }
}

/// Finds the byte order mark and its length.
pub(super) fn bom(head: &[u8]) -> Option<(Encoding, usize)> {
    let marks: [(&[u8], Encoding); 5] = [
        (b"\xEF\xBB\xBF", Encoding::Utf8Bom),
        (b"\xFF\xFE\0\0", Encoding::Utf32Le),
        (b"\0\0\xFE\xFF", Encoding::Utf32Be),
        (b"\xFF\xFE", Encoding::Utf16Le),
        (b"\xFE\xFF", Encoding::Utf16Be),
    ];
    marks.into_iter().find(|(mark, _)| head.starts_with(mark)).map(|(mark, encoding)| (encoding, mark.len()))
}
