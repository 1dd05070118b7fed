//! Line numbers in the format of `cat -n`.

use toolpost_engine::operations::read::{Line, Lines, Total};
use toolpost_text::cut::NOTICE;
use toolpost_text::plural::counted;

/// Writes lines: the number in at least six columns, a tab, the line.
pub(crate) fn lines(lines: &Lines, body: &mut String) {
    // Collected as bytes, so that UTF-8 is validated once and not for each number.
    let mut out = std::mem::take(body).into_bytes();
    out.reserve(lines.bytes() + 9 * lines.len());
    for line in lines.iter() {
        gutter(line.number, &mut out);
        out.extend_from_slice(line.text.as_bytes());
        if let Some(cut) = line.cut() {
            out.extend_from_slice(missing(cut).as_bytes());
        }
        out.push(b'\n');
    }
    *body =
        String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
}

/// Writes the text of a line and, if the line is cut, the number of characters left out.
pub(crate) fn text(line: &Line<'_>, body: &mut String) {
    body.push_str(line.text);
    if let Some(cut) = line.cut() {
        body.push_str(&missing(cut));
    }
    body.push('\n');
}

/// Checks whether one of several lines is cut. Returns false for a single line, because a request for only that line
/// would not show more of it.
pub(crate) fn cuts_a_line(lines: &Lines) -> bool {
    lines.len() > 1 && lines.iter().any(|line| line.cut().is_some())
}

/// Formats the number of characters that are cut from a line.
fn missing(cut: u64) -> String {
    format!(" {NOTICE}{} of this line]", counted(cut, "more character"))
}

/// Formats the total number of lines.
pub(crate) fn total(total: Total) -> String {
    match total {
        Total::Exactly(total) => total.to_string(),
        Total::MoreThan(total) => format!("more than {total}"),
    }
}

/// Writes a line number in at least six columns, and a tab.
fn gutter(number: u64, out: &mut Vec<u8>) {
    const COLUMNS: usize = 6;
    if number >= 10_u64.pow(COLUMNS as u32) {
        out.extend_from_slice(format!("{number}\t").as_bytes());
        return;
    }
    let mut columns = *b"      \t";
    let (mut at, mut rest) = (COLUMNS, number);
    while rest > 0 || at == COLUMNS {
        at -= 1;
        columns[at] = b"0123456789"[(rest % 10) as usize];
        rest /= 10;
    }
    out.extend_from_slice(&columns);
}
