//! Entry point for the fuzz target of the message parser.

/// Splits a client's input into lines and parses them.
///
/// # Panics
/// If the lines depend on the pieces in which the input arrives.
pub fn lines(bytes: &[u8]) {
    crate::wire::fuzz(bytes);
}
