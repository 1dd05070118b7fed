//! Line endings and indentation of a text.

use std::borrow::Cow;

use serde::Serialize;

/// Line endings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Eol {
    /// There is no line break.
    None,
    /// Every break is a line feed.
    Lf,
    /// Every break is a carriage return with a line feed.
    CrLf,
    /// Some are one, some the other.
    Mixed,
}

/// Indentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Indent {
    /// No line is indented.
    None,
    /// By tabs.
    Tabs,
    /// Spaces, with the number for a level.
    Spaces(u8),
    /// By both.
    Mixed,
}

impl Indent {
    /// Finds out how the lines of a text are indented.
    ///
    /// A single space is taken for the alignment of a comment, not for an indentation.
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

/// Writes every line break of a text as CRLF; those that are so already stay.
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

/// Picks the commonest step between neighbours; of equals, the smaller.
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
