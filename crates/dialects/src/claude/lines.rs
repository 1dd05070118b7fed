//! Numbered lines of a file, with notes about its format.

use crate::common::line_numbers;
use toolpost_engine::operations::read::{Output, Text};
use toolpost_tool::Page;

/// Writes lines as `cat -n` does (a right-aligned number, a tab, the line), with notes. If the file is empty, writes a
/// sentence that says this.
pub(super) fn render(output: &Output, text: &Text, page: &mut Page) {
    if text.lines.is_empty() {
        page.line(&format!("{} is empty: the file exists and has no content.", output.path));
        return;
    }
    let mut body = String::new();
    line_numbers::lines(&text.lines, &mut body);
    page.take(body);
    if !text.facts.is_empty() {
        page.note(text.facts.join("; "));
    }
    if line_numbers::cuts_a_line(&text.lines) {
        page.note_once(
            "to see a cut line in full, read only that line: pass its number as offset, and limit 1",
        );
    }
    if let Some(next) = text.next {
        let first = text.lines.first().map_or(1, |line| line.number);
        let total = line_numbers::total(text.total);
        page.note(format!("lines {first}-{} of {total}; continue with offset {next}", next - 1));
    }
}
