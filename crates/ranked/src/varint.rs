//! Variable-length integers with seven bits per byte (LEB128), and prefix-compressed texts.

/// Appends an integer in this encoding.
pub(crate) fn write(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads an integer and advances `from` past it; `None` if it is truncated or too large.
pub(crate) fn read(from: &mut &[u8]) -> Option<u32> {
    let mut number = 0_u32;
    for shift in (0..).step_by(7).take(5) {
        let (first, rest) = from.split_first()?;
        *from = rest;
        number |= u32::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Appends the length of `bytes`, and then `bytes`.
pub(crate) fn write_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    write(out, u32::try_from(bytes.len()).unwrap_or(u32::MAX));
    out.extend_from_slice(bytes);
}

/// Reads a length and that number of bytes, and advances `from` past them; `None` if they are truncated.
pub(crate) fn read_bytes<'b>(from: &mut &'b [u8]) -> Option<&'b [u8]> {
    let length = read(from)? as usize;
    let (own, rest) = from.split_at_checked(length)?;
    *from = rest;
    Some(own)
}

/// Appends a text as the number of bytes at its beginning that equal the previous text, and the remaining bytes.
pub(crate) fn write_after(out: &mut Vec<u8>, before: &str, text: &str) {
    let same = before.bytes().zip(text.bytes()).take_while(|(one, other)| one == other).count();
    let same = (0..=same).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    write(out, u32::try_from(same).unwrap_or(0));
    write_bytes(out, &text.as_bytes()[same..]);
}

/// Reads a text that [`write_after`] wrote. Before the call, `text` is the previous text; afterwards, it is the one
/// read.
pub(crate) fn read_after(from: &mut &[u8], text: &mut String) -> Option<()> {
    let same = read(from)? as usize;
    let rest = std::str::from_utf8(read_bytes(from)?).ok()?;
    if !text.is_char_boundary(same) {
        return None;
    }
    text.truncate(same);
    text.push_str(rest);
    Some(())
}
