//! Text encodings, and a guess of a file's encoding from its first bytes.

use encoding_rs::Encoding as Charset;
use serde::{Serialize, Serializer};

/// Number of bytes at the start of a file in which a NUL byte makes the file binary, unless it has a byte order mark or
/// is in a configured UTF-16 encoding.
pub const HEAD: usize = 8 * 1024;

/// A text encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8 without a byte order mark, or plain ASCII.
    Utf8,
    /// UTF-8 after a byte order mark.
    Utf8Bom,
    /// UTF-16, low byte first.
    Utf16Le,
    /// UTF-16, high byte first.
    Utf16Be,
    /// UTF-32, low byte first.
    Utf32Le,
    /// UTF-32, high byte first.
    Utf32Be,
    /// An unknown 8-bit encoding: the file is not UTF-8, and no configured encoding fits it. Only ASCII and the
    /// private-use characters of `Text::view` can be written.
    EightBit,
    /// The encoding that was configured for the file, other than UTF-16.
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

/// A guess from the first bytes of a file: text in some encoding, or binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EncodingGuess {
    /// The file is text, probably in this encoding.
    Text(Encoding),
    /// The file is not text: it contains a NUL byte, and no byte order mark explains it.
    Binary {
        /// Offset of the NUL byte.
        nul: usize,
    },
}

/// Guesses the encoding from the first bytes of a file; [`HEAD`] bytes are enough.
///
/// If `head` ends inside a character, the incomplete character does not rule out UTF-8.
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

/// Finds a byte order mark at the start of a file. Returns its encoding and its length in bytes.
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
