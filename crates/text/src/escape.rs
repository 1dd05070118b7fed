//! Escaping of file names and other texts of unknown origin, so that they cannot imitate notes or control a
//! terminal.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Beginning of a note that Toolpost adds to a reply.
const REMARK: &str = "[toolpost:";

/// Prevents a line of unknown origin from imitating a note of Toolpost: puts a backslash before a line that
/// begins like one.
#[must_use]
pub fn remark(line: &str) -> Cow<'_, str> {
    if line.trim_start().starts_with(REMARK) { Cow::Owned(format!("\\{line}")) } else { Cow::Borrowed(line) }
}

/// Escapes a file name, so that it can be shown in a reply.
///
/// Escapes control characters, invisible and direction-changing characters, backslashes, bytes that are not
/// UTF-8, and the beginning of a note of Toolpost: `\n`, `\r`, `\t`, `\\`, `\u{202e}`, `\xff`. [`unescape`]
/// reverses this.
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
            // A name must not imitate a note of Toolpost.
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

/// Converts a file name that [`name`] has escaped back to its bytes; `None` if an escape is invalid.
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

/// Formats a short text of unknown origin as one line: escapes control, invisible and direction-changing
/// characters, but not backslashes.
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

/// Removes from a text of unknown origin every character that could control a terminal, change the text direction, or
/// hide words. Carriage returns are removed too, so CRLF becomes LF.
///
/// Joiners and variation selectors stay, because languages and emoji need them.
#[must_use]
pub fn prose(text: &str) -> Cow<'_, str> {
    if text.chars().any(disguises) {
        Cow::Owned(text.chars().filter(|character| !disguises(*character)).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns whether a character in a text of several lines could control a terminal, change the text
/// direction, or hide words. Joiners and variation selectors do not, because languages and emoji need them.
#[must_use]
pub fn disguises(character: char) -> bool {
    let plain = matches!(character, '\n' | '\t');
    let joins = matches!(character, '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}');
    !plain && !joins && hidden(character)
}

/// Appends one character, escaped if it is a backslash or not visible.
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

/// Returns whether a character is invisible or changes how other characters are displayed.
fn hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
            | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
            | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Returns `code` if it has only hexadecimal digits. Parsing alone would also accept a sign.
fn digits(code: &str) -> Option<&str> {
    code.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(code)
}

/// Appends formatted text; writing to a string cannot fail.
fn push(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(arguments);
}
