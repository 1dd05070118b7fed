//! Whether brackets are opened and closed.

/// Counts how many more brackets lines open than they close.
pub(super) fn balance(lines: &[&str]) -> i64 {
    lines.iter().flat_map(|line| line.bytes()).fold(0, |balance, byte| match byte {
        b'(' | b'[' | b'{' => balance + 1,
        b')' | b']' | b'}' => balance - 1,
        _ => balance,
    })
}
