//! How many there are of something, in words.

/// Counts something whose plural only takes an `s`.
#[must_use]
pub fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
