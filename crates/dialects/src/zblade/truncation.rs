//! Truncation notices, in the wording of the reference.

use toolpost_text::{
    cut::{Cut, TRUNCATED},
    lines::count,
};

/// Number of lines shown from the beginning and the end of a long reply.
pub(super) const HEAD: usize = 100;
pub(super) const TAIL: usize = 50;

/// Formats the notice for the omitted middle of a reply.
pub(super) fn notice(kept: &Cut<'_>) -> String {
    let (head, tail) = (count(kept.head), count(kept.tail));
    let whole = kept.head.ends_with('\n') && kept.left.last + tail == kept.left.of_lines;
    let showing = if whole {
        format!("first {head} and last {tail} lines")
    } else {
        format!("first {} and last {} bytes", kept.head.len(), kept.tail.len())
    };
    truncated(kept.left.of_bytes as u64, kept.left.of_lines as u64, &showing)
}

/// Formats the notice that only a part is shown.
pub(super) fn truncated(bytes: u64, lines: u64, showing: &str) -> String {
    format!(
        "\n\n{TRUNCATED}{bytes} bytes, {lines} lines - showing {showing}]\n\
         Result was too large. Use more specific tool parameters to get targeted results.\n\n"
    )
}
