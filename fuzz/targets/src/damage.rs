//! Damage to files with checksums, which are recomputed after the damage so that readers get to the damaged
//! data.

/// Splits an input at its first NUL byte into a text and a list of changes.
pub(crate) fn parts(data: &[u8]) -> (String, &[u8]) {
    let at = data.iter().position(|byte| *byte == 0).unwrap_or(data.len());
    let (text, damages) = data.split_at(at);
    (String::from_utf8_lossy(text).into_owned(), damages.get(1..).unwrap_or_default())
}

/// Changes bytes: every four bytes of the list are a position, a kind and a value.
pub(crate) fn apply(damages: &[u8], bytes: &mut Vec<u8>) {
    for damage in damages.chunks_exact(4).take(16) {
        if bytes.is_empty() {
            return;
        }
        let at = usize::from(u16::from_le_bytes([damage[0], damage[1]])) % bytes.len();
        match damage[2] % 4 {
            0 => bytes[at] ^= damage[3],
            1 => bytes[at] = damage[3],
            2 => bytes.truncate(at),
            _ => bytes.insert(at, damage[3]),
        }
    }
}
