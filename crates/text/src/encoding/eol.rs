//! Line endings and indentation of a text.

use std::borrow::Cow;

use serde::Serialize;

/// Kind of line endings of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Eol {
    /// The text has no line break.
    None,
    /// Every break is a line feed.
    Lf,
    /// Every break is a carriage return with a line feed.
    CrLf,
    /// Some breaks are a line feed, others a carriage return with a line feed.
    Mixed,
}

/// Kind of indentation of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Indent {
    /// No line is indented.
    None,
    /// Lines are indented with tabs.
    Tabs,
    /// Lines are indented with this many spaces per level.
    Spaces(u8),
    /// Some lines are indented with tabs, others with spaces.
    Mixed,
}

impl Indent {
    /// Detects the indentation of a text.
    ///
    /// A single space counts as the alignment of a comment, not as indentation. If more than ten times as many lines
    /// are indented with tabs as with spaces, or the reverse, the rarer kind is ignored.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let (mut tabs, mut spaces, mut previous) = (0_usize, 0_usize, 0_usize);
        let mut steps = [0_usize; 9];
        for line in text.split('\n') {
            let width = line.bytes().take_while(|&byte| byte == b' ').count();
            let rest = &line.as_bytes()[width..];
            if rest.is_empty() || rest == b"\r" {
                continue;
            }
            if width == 0 && rest[0] == b'\t' {
                tabs += 1;
                continue;
            }
            if width > 1 {
                spaces += 1;
            }
            let step = width.abs_diff(previous);
            if step > 1 && step < steps.len() {
                steps[step] += 1;
            }
            previous = width;
        }
        match (tabs, spaces) {
            (0, 0) => Self::None,
            (_, 0) => Self::Tabs,
            (0, _) => Self::Spaces(unit(&steps)),
            _ if spaces * 10 < tabs => Self::Tabs,
            _ if tabs * 10 < spaces => Self::Spaces(unit(&steps)),
            _ => Self::Mixed,
        }
    }
}

/// Converts every line break of a text to CRLF.
#[must_use]
pub fn with_crlf(text: &str) -> Cow<'_, str> {
    if !text.contains('\n') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    let mut last = 0;
    for at in memchr::memchr_iter(b'\n', text.as_bytes()) {
        out.push_str(&text[last..at]);
        if !text[..at].ends_with('\r') {
            out.push('\r');
        }
        out.push('\n');
        last = at + 1;
    }
    out.push_str(&text[last..]);
    Cow::Owned(out)
}

/// Returns the width of an indentation level in spaces: the most common difference in indentation between adjacent
/// lines. `steps` has the number of these differences by width. Returns the smallest if several are equally common,
/// and 4 if there is none.
fn unit(steps: &[usize]) -> u8 {
    let mut best = (0, 4);
    for (width, &count) in (0_u8..).zip(steps) {
        if count > best.0 {
            best = (count, width);
        }
    }
    best.1
}

/// Returns the greatest common divisor of two widths.
pub(crate) fn greatest(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest(b, a % b) }
}
