//! Output helpers: lines, progress, colours, escaping and failures.

use anyhow::Result;
use std::{
    io::{IsTerminal, Write},
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use toolpost::Toolpost;
use toolpost_engine::Progress;
use toolpost_text::escape::disguises;

/// Erases the current terminal line.
const ERASE: &str = "\r\u{1b}[K";
/// Maximum length of a progress line, in characters.
const WIDTH: usize = 76;

/// Exit status of a valid command that failed.
const FAILED: u8 = 1;

/// Prints the warnings and the recovered changes of an opened Toolpost.
pub(crate) fn report(post: &Toolpost) {
    post.warnings().iter().chain(&post.recovery()).for_each(|line| eprintln!("toolpost: {line}"));
}

/// Prints a line. A closed pipe is not an error, because the reader has stopped reading.
pub(crate) fn line(line: &str) -> Result<()> {
    match writeln!(std::io::stdout().lock(), "{line}") {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// Prints a line to standard error. A line that cannot be written is lost without an error.
pub(crate) fn error_line(line: std::fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Progress line of a call on a terminal; dropping it erases the line.
pub(crate) struct ProgressLine(Arc<AtomicBool>);

impl ProgressLine {
    /// Creates the progress of a call, which is displayed if standard error is a terminal.
    pub(crate) fn of_call() -> (Progress, Self) {
        let shown = Arc::new(AtomicBool::new(false));
        let line = Self(Arc::clone(&shown));
        if !std::io::stderr().is_terminal() {
            return (Progress::silent(), line);
        }
        let progress = Progress::new(move |_, what| {
            shown.store(true, Ordering::Relaxed);
            let text = toolpost_text::cut::line(what, WIDTH).0;
            // A failed write to the terminal loses only progress.
            let _ = write!(std::io::stderr().lock(), "{ERASE}{text}");
        });
        (progress, line)
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.0.load(Ordering::Relaxed) {
            let _ = write!(std::io::stderr().lock(), "{ERASE}");
        }
    }
}

/// Colour setting of a stream.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colours {
    On,
    Off,
}

impl Colours {
    /// Returns `On` for a terminal, unless `NO_COLOR` is set or the terminal is dumb.
    pub(crate) fn of(stream: &impl IsTerminal) -> Self {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let plain = set("NO_COLOR").is_some() || set("TERM").is_some_and(|terminal| terminal == "dumb");
        if stream.is_terminal() && !plain { Self::On } else { Self::Off }
    }

    /// Wraps a text in an ANSI colour.
    pub(crate) fn paint(self, text: &str, colour: &str) -> String {
        match self {
            Self::On if !text.is_empty() => format!("\u{1b}[{colour}m{text}\u{1b}[0m"),
            _ => text.to_owned(),
        }
    }

    /// Colours a unified diff.
    pub(crate) fn paint_diff(self, diff: &str) -> String {
        let painted = |line: &str| {
            let (text, end) = line.strip_suffix('\n').map_or((line, ""), |text| (text, "\n"));
            let colour = match text.as_bytes() {
                [b'+', b'+', b'+', b' ', ..] | [b'-', b'-', b'-', b' ', ..] => "1",
                [b'+', ..] => "32",
                [b'-', ..] => "31",
                [b'@', b'@', ..] => "36",
                _ => return line.to_owned(),
            };
            format!("{}{end}", self.paint(text, colour))
        };
        diff.split_inclusive('\n').map(painted).collect()
    }
}

/// Prints an error, and returns the exit status for it.
pub(crate) fn failed(words: &str) -> ExitCode {
    eprintln!("toolpost: {words}");
    ExitCode::from(FAILED)
}

/// Escapes control characters, and those that are invisible or change the text direction; line breaks and
/// tabs stay.
pub(crate) fn harmless(text: &str) -> String {
    let mut harmless = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\r' => harmless.push_str("\\r"),
            other if disguises(other) => harmless.extend(other.escape_unicode()),
            other => harmless.push(other),
        }
    }
    harmless
}

/// Formats a number of bytes with a decimal unit.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_text_has_no_control_or_invisible_characters() {
        for character in '\0'..=char::MAX {
            let printed = harmless(&format!("a{character}b"));
            assert!(!printed.chars().any(disguises), "{character:?} is printed as {printed:?}");
            assert_eq!(
                printed.contains(character),
                !disguises(character) && character != '\r',
                "{character:?}"
            );
        }
        assert_eq!(harmless("\u{1b}[2J\u{202e}x\ty\nשלום 👩‍👩‍👧"), "\\u{1b}[2J\\u{202e}x\ty\nשלום 👩‍👩‍👧");
    }
}
