//! Output of the tasks of `cargo xtask`.

use std::io::Write;

/// Prints a line of the result.
pub(crate) fn line(text: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

/// Prints a line about progress or an error.
pub fn complain(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
