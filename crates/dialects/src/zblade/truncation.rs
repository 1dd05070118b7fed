//! Truncation notices, in the wording of zblade's own tools.

use toolpost_text::{
    cut::{TRUNCATED, TruncatedText},
    lines::count,
};

/// Maximum number of lines shown from the beginning and the end of a long reply. Together they fill a reply of
/// 2,000 lines, except for the lines around them.
pub(super) const HEAD: usize = 1_300;
pub(super) const TAIL: usize = 650;

/// Formats the notice for the omitted middle of a reply.
pub(super) fn notice(kept: &TruncatedText<'_>) -> String {
    let (head, tail) = (count(kept.head), count(kept.tail));
    let whole = kept.head.ends_with('\n') && kept.omitted.last + tail == kept.omitted.of_lines;
    let showing = if whole {
        format!("first {head} and last {tail} lines")
    } else {
        format!("first {} and last {} bytes", kept.head.len(), kept.tail.len())
    };
    truncated(&size(kept.omitted.of_bytes as u64, kept.omitted.of_lines as u64), &showing)
}

/// Formats the size of a text before truncation.
pub(super) fn size(bytes: u64, lines: u64) -> String {
    format!("{bytes} bytes, {lines} lines")
}

/// Formats the notice that only a part is shown.
pub(super) fn truncated(size: &str, showing: &str) -> String {
    format!(
        "\n\n{TRUNCATED}{size} - showing {showing}]\n\
         Result was too large. Use more specific tool parameters to get targeted results.\n\n"
    )
}
