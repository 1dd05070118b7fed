//! File names written so that they cannot pass for anything else.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Beginning of a remark by Toolpost.
const REMARK: &str = "[toolpost:";

/// Keeps a line of unknown origin from passing for a remark of Toolpost: one that begins like a remark gets a backslash.
#[must_use]
pub fn remark(line: &str) -> Cow<'_, str> {
    if line.trim_start().starts_with(REMARK) { Cow::Owned(format!("\\{line}")) } else { Cow::Borrowed(line) }
}

/// Writes a file name for a reply.
///
/// Control characters, invisible and direction-changing ones, backslashes, bytes that are not UTF-8 and the beginning of a remark of
/// Toolpost become escapes: `\n`, `\r`, `\t`, `\\`, `\u{202e}`, `\xff`. [`unescape`] reverses it.
#[must_use]
pub fn name(name: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(name) {
        Ok(plain) if !plain.chars().any(|c| c == '\\' || hidden(c)) && !plain.contains(REMARK) => {
            return Cow::Borrowed(plain);
        }
        _ => {}
    }
    let mut out = String::with_capacity(name.len() + 8);
    for chunk in name.utf8_chunks() {
        for (at, character) in chunk.valid().char_indices() {
            // A name that begins as a remark of Toolpost does would pass for one.
            if chunk.valid()[at..].starts_with(REMARK) {
                push(&mut out, format_args!("\\u{{{:x}}}", u32::from(character)));
            } else {
                escape(&mut out, character);
            }
        }
        for byte in chunk.invalid() {
            push(&mut out, format_args!("\\x{byte:02x}"));
        }
    }
    Cow::Owned(out)
}

/// Reads a file name as [`name`] writes it; none if an escape is wrong.
#[must_use]
pub fn unescape(shown: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(shown.len());
    let mut rest = shown;
    while let Some((plain, escaped)) = rest.split_once('\\') {
        out.extend_from_slice(plain.as_bytes());
        let kind = escaped.chars().next()?;
        rest = escaped.get(kind.len_utf8()..)?;
        match kind {
            'n' => out.push(b'\n'),
            'r' => out.push(b'\r'),
            't' => out.push(b'\t'),
            '\\' => out.push(b'\\'),
            'x' => {
                out.push(u8::from_str_radix(digits(rest.get(..2)?)?, 16).ok()?);
                rest = &rest[2..];
            }
            'u' => {
                let (code, after) = rest.strip_prefix('{')?.split_once('}')?;
                let character = char::from_u32(u32::from_str_radix(digits(code)?, 16).ok()?)?;
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                rest = after;
            }
            _ => return None,
        }
    }
    out.extend_from_slice(rest.as_bytes());
    Some(out)
}

/// Writes a short text of unknown origin on one line: as [`name`] does, but keeps backslashes.
///
/// Not for the content of files.
#[must_use]
pub fn text(text: &str) -> Cow<'_, str> {
    if !text.chars().any(hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if character == '\\' { out.push('\\') } else { escape(&mut out, character) }
    }
    Cow::Owned(out)
}

/// Takes out of a text of unknown origin what could command a terminal, turn its direction, or hide words in it; line ends
/// become plain ones.
///
/// Joiners and variation selectors stay, because languages and emoji need them.
#[must_use]
pub fn prose(text: &str) -> Cow<'_, str> {
    let goes = |character: char| {
        let plain = matches!(character, '\n' | '\t');
        let joins = matches!(character, '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}');
        !plain && !joins && hidden(character)
    };
    if text.chars().any(goes) {
        Cow::Owned(text.chars().filter(|character| !goes(*character)).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Writes one character.
fn escape(out: &mut String, character: char) {
    match character {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\\' => out.push_str("\\\\"),
        other if hidden(other) => push(out, format_args!("\\u{{{:x}}}", u32::from(other))),
        other => out.push(other),
    }
}

/// Returns whether a character is invisible or changes the display of others.
fn hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
            | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
            | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Lets only hexadecimal digits through, since parsing would take a sign too.
fn digits(code: &str) -> Option<&str> {
    code.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(code)
}

/// Appends formatted text; a string takes all of it.
fn push(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(arguments);
}
