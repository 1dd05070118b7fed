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
        gutter(line.number, &mut body);
        body.push_str(&line.text);
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

/// Writes a line's number in six columns, and the tab behind it.
fn gutter(number: u64, body: &mut String) {
    const WIDTH: usize = 6;
    let mut digits = [b' '; 20];
    let (mut at, mut rest) = (digits.len(), number);
    while rest > 0 || at == digits.len() {
        at -= 1;
        digits[at] = b"0123456789"[(rest % 10) as usize];
        rest /= 10;
    }
    let start = at.min(digits.len() - WIDTH);
    body.extend(digits[start..].iter().map(|digit| char::from(*digit)));
    body.push('\t');
}
