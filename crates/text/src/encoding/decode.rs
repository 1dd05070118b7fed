//! Lossless decoding of stored bytes to characters.

use encoding_rs::{Encoding as Charset, ISO_2022_JP, UTF_16BE, UTF_16LE};

use super::kind::bom;
use super::{Encoding, HEAD, NotTextError};

/// The first of the 256 private-use characters that represent the bytes of an unknown encoding.
const PRIVATE: u32 = 0x10_FE00;

/// The decoded content of a file.
pub(super) struct DecodedContent {
    pub(super) encoding: Encoding,
    /// Length of the byte order mark in bytes; 0 if the file has none.
    pub(super) bom: usize,
    /// The decoded text after the byte order mark; `None` for UTF-8, which needs no decoding.
    pub(super) text: Option<String>,
}

/// Decodes a whole file: by its byte order mark, else in the configured encoding if [`configured_text`] accepts it,
/// else as UTF-8, else as an unknown 8-bit encoding. A NUL byte near the beginning rules out the last two.
pub(super) fn decode(
    bytes: &[u8],
    configured: Option<&'static Charset>,
) -> Result<DecodedContent, NotTextError> {
    if let Some((encoding, mark)) = bom(bytes) {
        return marked(bytes, encoding, mark);
    }
    if let Some(charset) = configured
        && let Some(found) = configured_text(bytes, charset)
    {
        return Ok(found);
    }
    if let Some(at) = memchr::memchr(0, &bytes[..bytes.len().min(HEAD)]) {
        return Err(NotTextError::Binary { at });
    }
    if std::str::from_utf8(bytes).is_ok() {
        return Ok(DecodedContent { encoding: Encoding::Utf8, bom: 0, text: None });
    }
    Ok(DecodedContent { encoding: Encoding::EightBit, bom: 0, text: Some(eight_bit(bytes)) })
}

/// Returns the text of a file whose view is the file itself: UTF-8 that has no byte order mark, no CRLF, and no NUL byte
/// near the beginning; `None` for any other file.
#[must_use]
pub fn plain(bytes: &[u8]) -> Option<&str> {
    let is_binary = memchr::memchr(0, &bytes[..bytes.len().min(HEAD)]).is_some();
    if is_binary || bom(bytes).is_some() || memchr::memmem::find(bytes, b"\r\n").is_some() {
        return None;
    }
    std::str::from_utf8(bytes).ok()
}

/// Returns the byte that a character represents in a text from an unknown 8-bit encoding; `None` if it
/// represents none.
pub(super) fn byte(character: char) -> Option<u8> {
    if character.is_ascii() {
        return u8::try_from(u32::from(character)).ok();
    }
    let code = u32::from(character).checked_sub(PRIVATE)?;
    u8::try_from(code).ok().filter(|byte| !byte.is_ascii())
}

/// Converts a text from an unknown 8-bit encoding for display: private-use characters become glyphs of
/// windows-1252, or U+FFFD.
pub(super) fn shown(view: &str) -> String {
    let mut out = String::with_capacity(view.len());
    for character in view.chars() {
        match byte(character) {
            Some(byte) if !byte.is_ascii() => {
                let (glyph, _) =
                    encoding_rs::WINDOWS_1252.decode_without_bom_handling(std::slice::from_ref(&byte));
                let known = glyph.chars().all(|glyph| !glyph.is_control());
                out.push_str(if known { &glyph } else { "\u{FFFD}" });
            }
            _ => out.push(character),
        }
    }
    out
}

/// Encodes text; fails with the first character that the encoding cannot represent.
pub(super) fn encode(text: &str, encoding: Encoding) -> Result<Vec<u8>, char> {
    match encoding {
        Encoding::Utf8 | Encoding::Utf8Bom => Ok(text.as_bytes().to_vec()),
        Encoding::Utf16Le => Ok(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        Encoding::Utf16Be => Ok(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
        Encoding::Utf32Le => Ok(text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect()),
        Encoding::Utf32Be => Ok(text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect()),
        Encoding::EightBit => text.chars().map(|c| byte(c).ok_or(c)).collect(),
        Encoding::Named(charset) => named(text, charset),
    }
}

/// Returns the size in bytes that a text from [`decode`] has in the file.
pub(super) fn stored(text: &str, encoding: Encoding) -> usize {
    match encoding {
        Encoding::Utf8 | Encoding::Utf8Bom => text.len(),
        Encoding::Utf16Le | Encoding::Utf16Be => 2 * text.encode_utf16().count(),
        Encoding::Utf32Le | Encoding::Utf32Be => 4 * text.chars().count(),
        Encoding::EightBit => text.chars().count(),
        Encoding::Named(charset) => charset.encode(text).0.len(),
    }
}

/// Returns the size of an ASCII character in an encoding, in bytes.
pub(super) fn unit(encoding: Encoding) -> usize {
    match encoding {
        Encoding::Utf8 | Encoding::Utf8Bom | Encoding::EightBit | Encoding::Named(_) => 1,
        Encoding::Utf16Le | Encoding::Utf16Be => 2,
        Encoding::Utf32Le | Encoding::Utf32Be => 4,
    }
}

/// Decodes the bytes after a byte order mark, whose length is `mark`.
fn marked(bytes: &[u8], encoding: Encoding, mark: usize) -> Result<DecodedContent, NotTextError> {
    let rest = &bytes[mark..];
    let text = match encoding {
        Encoding::Utf16Le => utf16(rest, u16::from_le_bytes),
        Encoding::Utf16Be => utf16(rest, u16::from_be_bytes),
        Encoding::Utf32Le => match utf32(rest, u32::from_le_bytes) {
            // The byte order mark of UTF-32 also begins a UTF-16 text whose first character is NUL.
            Err(_) if utf16(&bytes[2..], u16::from_le_bytes).is_ok() => {
                return marked(bytes, Encoding::Utf16Le, 2);
            }
            other => other,
        },
        Encoding::Utf32Be => utf32(rest, u32::from_be_bytes),
        _ if std::str::from_utf8(rest).is_ok() => {
            return Ok(DecodedContent { encoding, bom: mark, text: None });
        }
        _ => {
            let text = Some(eight_bit(rest));
            return Ok(DecodedContent { encoding: Encoding::EightBit, bom: mark, text });
        }
    };
    match text {
        Ok(text) => Ok(DecodedContent { encoding, bom: mark, text: Some(text) }),
        Err(at) => Err(NotTextError::Malformed { encoding: encoding.name(), at: mark + at }),
    }
}

/// Decodes bytes in the configured encoding; `None` if that encoding does not fit. UTF-16 fits valid bytes that
/// contain a NUL byte. Any other stateless encoding except UTF-8 fits ASCII and bytes that are not UTF-8, if they have
/// no NUL byte near the beginning and encoding the text again restores them.
fn configured_text(bytes: &[u8], charset: &'static Charset) -> Option<DecodedContent> {
    let found = |encoding, text| Some(DecodedContent { encoding, bom: 0, text: Some(text) });
    if charset == UTF_16LE || charset == UTF_16BE {
        memchr::memchr(0, bytes)?;
        return if charset == UTF_16LE {
            found(Encoding::Utf16Le, utf16(bytes, u16::from_le_bytes).ok()?)
        } else {
            found(Encoding::Utf16Be, utf16(bytes, u16::from_be_bytes).ok()?)
        };
    }
    let stateless =
        charset.output_encoding() == charset && charset != ISO_2022_JP && charset != encoding_rs::UTF_8;
    let utf8 = !bytes.is_ascii() && std::str::from_utf8(bytes).is_ok();
    if !stateless || utf8 || memchr::memchr(0, &bytes[..bytes.len().min(HEAD)]).is_some() {
        return None;
    }
    let text = charset.decode_without_bom_handling_and_without_replacement(bytes)?;
    let (again, _, failed) = charset.encode(&text);
    (!failed && *again == *bytes)
        .then(|| text.into_owned())
        .and_then(|text| found(Encoding::Named(charset), text))
}

/// Encodes text in a configured encoding; fails with the first character that the encoding cannot represent.
fn named(text: &str, charset: &'static Charset) -> Result<Vec<u8>, char> {
    let (bytes, _, failed) = charset.encode(text);
    if !failed {
        return Ok(bytes.into_owned());
    }
    let missing = |character: &char| charset.encode(character.encode_utf8(&mut [0; 4])).2;
    Err(text.chars().find(missing).unwrap_or('\u{FFFD}'))
}

/// Decodes UTF-16; fails with the offset of the first invalid or incomplete code unit.
fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, usize> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut out = String::with_capacity(bytes.len());
    let mut at = 0;
    for found in char::decode_utf16(pairs.iter().map(|&pair| unit(pair))) {
        let character = found.map_err(|_| at)?;
        at += 2 * character.len_utf16();
        out.push(character);
    }
    if rest.is_empty() { Ok(out) } else { Err(at) }
}

/// Decodes UTF-32; fails with the offset of the first invalid or incomplete code unit.
fn utf32(bytes: &[u8], unit: fn([u8; 4]) -> u32) -> Result<String, usize> {
    let (groups, rest) = bytes.as_chunks::<4>();
    let mut out = String::with_capacity(bytes.len() / 2);
    for (index, &group) in groups.iter().enumerate() {
        out.push(char::from_u32(unit(group)).ok_or(4 * index)?);
    }
    if rest.is_empty() { Ok(out) } else { Err(4 * groups.len()) }
}

/// Represents bytes of an unknown 8-bit encoding by ASCII and private-use characters.
fn eight_bit(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + bytes.len() / 4);
    for &byte in bytes {
        if byte.is_ascii() {
            out.push(char::from(byte));
        } else {
            out.extend(char::from_u32(PRIVATE + u32::from(byte)));
        }
    }
    out
}
