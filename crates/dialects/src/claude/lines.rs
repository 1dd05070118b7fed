//! How lines of text are shown: numbered, with what is odd about the file above them.

use crate::common::numbered;
use toolpost_engine::operations::read::{Output, Text};
use toolpost_tool::Page;

/// Writes the lines as `cat -n` does: the number in six columns, a tab, the line as it is.
pub(super) fn render(output: &Output, text: &Text, page: &mut Page) {
    if text.lines.is_empty() {
        page.line(&format!("{} is empty: the file exists and has no content.", output.path));
        return;
    }
    let mut body = String::new();
    if !text.facts.is_empty() {
        body.push_str(&format!("({})\n", text.facts.join("; ")));
    }
    numbered::lines(&text.lines, &mut body);
    page.take(body);
    if let Some(next) = text.next {
        let first = text.lines.first().map_or(1, |line| line.number);
        let total = numbered::total(text.total);
        page.note(format!("lines {first}-{} of {total}; continue with offset {next}", next - 1));
    }
}
