//! How many there are of something, in words.

/// Counts something whose plural only takes an `s`.
pub(crate) fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
