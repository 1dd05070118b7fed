//! What commands print, and how they say that they failed.

use anyhow::Result;
use std::{io::Write, process::ExitCode};

/// The exit status of a command that was understood and failed.
const FAILED: u8 = 1;

/// Prints a line; a closed pipe is the reader's way to say that it has enough.
pub(crate) fn line(line: &str) -> Result<()> {
    match writeln!(std::io::stdout().lock(), "{line}") {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// Says what went wrong.
pub(crate) fn failed(words: &str) -> ExitCode {
    eprintln!("toolpost: {words}");
    ExitCode::from(FAILED)
}

/// Escapes what would command a terminal; lines and tabs stay.
pub(crate) fn harmless(text: &str) -> String {
    let mut harmless = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => harmless.push(character),
            '\r' => harmless.push_str("\\r"),
            other if other.is_control() => harmless.extend(other.escape_unicode()),
            other => harmless.push(other),
        }
    }
    harmless
}
