//! Log output on standard error, enabled by TOOLPOST_LOG.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{Result, Write, stderr};
use toolpost_text::{escape, redact::redact};
use tracing::Level;
use tracing_subscriber::{filter::Targets, layer::SubscriberExt};

/// Starts logging at the level in `TOOLPOST_LOG`: error, warn, info, debug or trace. Without a valid level, only panics
/// are printed.
///
/// The level applies to Toolpost's own events. Libraries log only errors, because they would otherwise write
/// whole messages, with file content and command lines.
pub(crate) fn start() {
    std::panic::set_hook(Box::new(|panic| {
        let _ = writeln!(Log, "{panic}");
        let trace = Backtrace::capture();
        if trace.status() == BacktraceStatus::Captured {
            let _ = writeln!(stderr(), "{trace}");
        }
    }));
    let Some(level) = std::env::var("TOOLPOST_LOG").ok().and_then(|level| level.parse::<Level>().ok()) else {
        return;
    };
    let targets = Targets::new().with_default(Level::ERROR).with_target("toolpost", level);
    let subscriber = tracing_subscriber::fmt().with_writer(|| Log).with_ansi(false).with_max_level(level);
    let _ = tracing::subscriber::set_global_default(subscriber.finish().with(targets));
}

/// Standard error with one line per event; secrets are redacted and control characters escaped.
struct Log;

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        stderr().write_all(line(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn write_fmt(&mut self, words: std::fmt::Arguments<'_>) -> Result<()> {
        // Formats the whole message first: a secret that is split over several writes would not be recognized.
        self.write_all(words.to_string().as_bytes())
    }

    fn flush(&mut self) -> Result<()> {
        stderr().flush()
    }
}

/// Turns a message into exactly one line.
fn line(text: &str) -> String {
    format!("{}\n", escape::text(&redact(text.strip_suffix('\n').unwrap_or(text))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn log_records_are_single_lines_without_secrets() {
        let rows = [
            ("done microseconds=12\n", "done microseconds=12\n"),
            ("no end", "no end\n"),
            ("", "\n"),
            ("a\n2026 INFO forged\u{1b}[31m\n", "a\\n2026 INFO forged\\u{1b}[31m\n"),
            ("tool=\"x TOKEN=abc\"\n", "tool=\"x TOKEN=[redacted]\"\n"),
            ("password: 'two\nlines'\u{202e}\n", "password: '[redacted]'\\u{202e}\n"),
        ];
        each(rows, |(written, wanted)| {
            assert_eq!(line(written), wanted, "{written:?}");
        });
    }
}
