//! What the tasks print.

use std::io::Write;

/// Prints a line for whoever reads the result.
pub(crate) fn line(text: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

/// Prints a line about what went wrong, or about what is going on.
pub fn complain(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
