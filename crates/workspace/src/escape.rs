//! Names from the disk, made safe to show on one line.

use std::fmt::Write;

/// Shows a name so that nobody can forge lines, colours or directions with it.
///
/// Control characters become `\n`, `\t`, `\xNN`; bytes that are not UTF-8 become `\xNN`; characters that are invisible
/// or turn the reading direction become `\u{…}`. All else stays as it is.
pub(crate) fn escape(name: &[u8]) -> String {
    let mut shown = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        for character in chunk.valid().chars() {
            push_character(&mut shown, character);
        }
        for byte in chunk.invalid() {
            push(&mut shown, format_args!("\\x{byte:02x}"));
        }
    }
    shown
}

fn push_character(shown: &mut String, character: char) {
    match character {
        '\n' => shown.push_str("\\n"),
        '\r' => shown.push_str("\\r"),
        '\t' => shown.push_str("\\t"),
        '\0'..='\x1f' | '\x7f' => push(shown, format_args!("\\x{:02x}", u32::from(character))),
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}' => push(shown, format_args!("\\u{{{:x}}}", u32::from(character))),
        plain => shown.push(plain),
    }
}

fn push(shown: &mut String, piece: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = shown.write_fmt(piece);
}
