//! How lines of text are shown: numbered, with what is odd about the file above them.

use std::fmt::Write as _;
use toolpost_engine::operations::read::{Output, Text, Total};
use toolpost_text::cut::NOTICE;
use toolpost_tool::Page;

/// Writes the lines as `cat -n` does: the number in six columns, a tab, the line as it is.
pub(super) fn render(output: &Output, text: &Text, page: &mut Page) {
    if text.lines.is_empty() {
        page.line(&format!("{} is empty: the file exists and has no content.", output.path));
        return;
    }
    let mut body = String::with_capacity(text.lines.iter().map(|line| line.text.len() + 9).sum());
    if !text.facts.is_empty() {
        let _ = writeln!(body, "({})", text.facts.join("; "));
    }
    for line in &text.lines {
        let _ = write!(body, "{:>6}\t{}", line.number, line.text);
        if let Some(cut) = line.cut {
            let _ = write!(body, " {NOTICE}{cut} more characters of this line]");
        }
        body.push('\n');
    }
    page.text(&body);
    if let Some(next) = text.next {
        let first = text.lines.first().map_or(1, |line| line.number);
        let total = match text.total {
            Total::Exactly(total) => total.to_string(),
            Total::MoreThan(total) => format!("more than {total}"),
        };
        page.note(format!("lines {first}-{} of {total}; continue with offset {next}", next - 1));
    }
}
