//! How lines of text are numbered by the dialects that number them as `cat -n` does.

use std::fmt::Write as _;
use toolpost_engine::operations::read::{Line, Total};
use toolpost_text::cut::NOTICE;

/// Writes lines: the number in six columns, a tab, the line as it is.
pub(crate) fn lines(lines: &[Line], body: &mut String) {
    body.reserve(lines.iter().map(|line| line.text.len() + 9).sum());
    for line in lines {
        gutter(line.number, body);
        text(line, body);
    }
}

/// Writes the text of a line, and how much of it is missing.
pub(crate) fn text(line: &Line, body: &mut String) {
    body.push_str(&line.text);
    if let Some(cut) = line.cut {
        let _ = write!(body, " {NOTICE}{cut} more characters of this line]");
    }
    body.push('\n');
}

/// Writes how many lines there are.
pub(crate) fn total(total: Total) -> String {
    match total {
        Total::Exactly(total) => total.to_string(),
        Total::MoreThan(total) => format!("more than {total}"),
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
    body.push_str(str::from_utf8(&digits[start..]).unwrap_or_default());
    body.push('\t');
}
