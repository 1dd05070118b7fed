//! From stored bytes to characters, without a loss.

use encoding_rs::{Encoding as Charset, ISO_2022_JP, UTF_16BE, UTF_16LE};

use super::kind::bom;
use super::{Encoding, HEAD, NotTextError};

/// The first of the 256 private characters that represent bytes of an unknown encoding.
const PRIVATE: u32 = 0x10_FE00;

/// The decoded content of a file.
pub(super) struct Decoded {
    pub(super) encoding: Encoding,
    /// Length of the byte order mark in bytes.
    pub(super) bom: usize,
    /// The characters behind the mark; none if the bytes are valid UTF-8.
    pub(super) text: Option<String>,
}

/// Decodes a whole file: by its byte order mark, else as UTF-8, else as configured, else as unknown 8-bit.
pub(super) fn decode(bytes: &[u8], configured: Option<&'static Charset>) -> Result<Decoded, NotTextError> {
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
        return Ok(Decoded { encoding: Encoding::Utf8, bom: 0, text: None });
    }
    Ok(Decoded { encoding: Encoding::EightBit, bom: 0, text: Some(eight_bit(bytes)) })
}

/// Returns the byte that a character of an 8-bit view represents, if any.
pub(super) fn byte(character: char) -> Option<u8> {
    if character.is_ascii() {
        return u8::try_from(u32::from(character)).ok();
    }
    let code = u32::from(character).checked_sub(PRIVATE)?;
    u8::try_from(code).ok().filter(|byte| !byte.is_ascii())
}

/// Writes an 8-bit view for people: the glyph of windows-1252, else U+FFFD.
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

/// Encodes characters; fails with the first that the encoding does not have.
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

/// Counts the bytes of text that came out of [`decode`].
pub(super) fn stored(text: &str, encoding: Encoding) -> usize {
    match encoding {
        Encoding::Utf8 | Encoding::Utf8Bom => text.len(),
        Encoding::Utf16Le | Encoding::Utf16Be => 2 * text.encode_utf16().count(),
        Encoding::Utf32Le | Encoding::Utf32Be => 4 * text.chars().count(),
        Encoding::EightBit => text.chars().count(),
        Encoding::Named(charset) => charset.encode(text).0.len(),
    }
}

/// Counts the bytes of an ASCII character.
pub(super) fn unit(encoding: Encoding) -> usize {
    match encoding {
        Encoding::Utf8 | Encoding::Utf8Bom | Encoding::EightBit | Encoding::Named(_) => 1,
        Encoding::Utf16Le | Encoding::Utf16Be => 2,
        Encoding::Utf32Le | Encoding::Utf32Be => 4,
    }
}

/// Decodes the bytes behind a byte order mark.
fn marked(bytes: &[u8], encoding: Encoding, mark: usize) -> Result<Decoded, NotTextError> {
    let rest = &bytes[mark..];
    let text = match encoding {
        Encoding::Utf16Le => utf16(rest, u16::from_le_bytes),
        Encoding::Utf16Be => utf16(rest, u16::from_be_bytes),
        Encoding::Utf32Le => match utf32(rest, u32::from_le_bytes) {
            // The same four bytes begin a UTF-16 text whose first character is NUL.
            Err(_) if utf16(&bytes[2..], u16::from_le_bytes).is_ok() => {
                return marked(bytes, Encoding::Utf16Le, 2);
            }
            other => other,
        },
        Encoding::Utf32Be => utf32(rest, u32::from_be_bytes),
        _ if std::str::from_utf8(rest).is_ok() => {
            return Ok(Decoded { encoding, bom: mark, text: None });
        }
        _ => {
            let text = Some(eight_bit(rest));
            return Ok(Decoded { encoding: Encoding::EightBit, bom: mark, text });
        }
    };
    match text {
        Ok(text) => Ok(Decoded { encoding, bom: mark, text: Some(text) }),
        Err(at) => Err(NotTextError::Malformed { encoding: encoding.name(), at: mark + at }),
    }
}

/// Tries the configured encoding if the bytes are not valid UTF-8.
fn configured_text(bytes: &[u8], charset: &'static Charset) -> Option<Decoded> {
    let found = |encoding, text| Some(Decoded { encoding, bom: 0, text: Some(text) });
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

/// Encodes into a configured encoding; fails with the first character that it does not have.
fn named(text: &str, charset: &'static Charset) -> Result<Vec<u8>, char> {
    let (bytes, _, failed) = charset.encode(text);
    if !failed {
        return Ok(bytes.into_owned());
    }
    let missing = |character: &char| charset.encode(character.encode_utf8(&mut [0; 4])).2;
    Err(text.chars().find(missing).unwrap_or('\u{FFFD}'))
}

/// Decodes UTF-16; fails with the offset of the first invalid unit.
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

/// Decodes UTF-32; fails with the offset of the first invalid unit.
fn utf32(bytes: &[u8], unit: fn([u8; 4]) -> u32) -> Result<String, usize> {
    let (groups, rest) = bytes.as_chunks::<4>();
    let mut out = String::with_capacity(bytes.len() / 2);
    for (index, &group) in groups.iter().enumerate() {
        out.push(char::from_u32(unit(group)).ok_or(4 * index)?);
    }
    if rest.is_empty() { Ok(out) } else { Err(4 * groups.len()) }
}

/// Writes bytes of an unknown encoding as ASCII and private characters.
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
