//! Placeholders in new text, which must not be written to a file.

use crate::{
    cut, hashline,
    omission::{Marker, comment, is_omission, marker},
};

/// Kinds of lines in new text that come from a reply or stand for omitted code, and must not be written to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A placeholder for code that the model did not write out, such as `// ... existing code ...`.
    Omission,
    /// A notice of Toolpost about content that it left out of a reply.
    Notice,
    /// A line with the line number that Toolpost puts before lines in a reply.
    Gutter,
}

/// A line of new text that comes from a reply or stands for omitted code, and must not be written to a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the new text is {}: {text:?}; {}", self.what(), self.next())]
pub struct PlaceholderError {
    /// The kind of the line.
    pub kind: Kind,
    /// The line of the new text, counted from 1.
    pub line: usize,
    /// The text of that line, shortened if it is long.
    pub text: String,
}

impl PlaceholderError {
    fn what(&self) -> &'static str {
        match self.kind {
            Kind::Omission => "a placeholder for code that is not there",
            Kind::Notice => "a notice about omitted content, not the content itself",
            Kind::Gutter => "numbered, and line numbers are not part of a file",
        }
    }

    fn next(&self) -> &'static str {
        match self.kind {
            Kind::Omission => "write the code out, or replace only the lines that change",
            Kind::Notice => "read the missing part and write it out, or replace only the lines that change",
            Kind::Gutter => "send the lines without their numbers",
        }
    }
}

/// Refuses new text with a placeholder that the old text did not have.
///
/// Line numbers count as placeholders if most lines have consecutive ones in Toolpost's format.
///
/// # Errors
///
/// The first placeholder that the new text has and the old text lacks.
pub fn check(new: &str, old: &str) -> Result<(), PlaceholderError> {
    check_lines(new, old, |_| false)
}

/// Refuses new text for a file with this name as [`check`] does, but lets Markdown and other prose quote
/// placeholders for code: in a code fence, or in the form of a comment other than an HTML comment.
///
/// # Errors
///
/// The first placeholder that the new text has and the old text lacks.
pub fn check_for(name: &str, new: &str, old: &str) -> Result<(), PlaceholderError> {
    if !is_prose(name) {
        return check(new, old);
    }
    let mut is_fenced = fences();
    check_lines(new, old, |bare| is_fenced(bare) || (comment(bare).1 && !bare.starts_with("<!--")))
}

/// Returns a function that takes the lines of a prose text in order, without white space at their ends, and returns
/// whether a line is inside a code fence.
fn fences() -> impl FnMut(&str) -> bool {
    let mut fence: Option<Fence<'static>> = None;
    move |bare| {
        fence = match (fence, Fence::read(bare)) {
            (None, found) => found.filter(Fence::opens).map(|found| Fence { after: "", ..found }),
            (Some(open), Some(found)) if found.closes(&open) => None,
            (open, _) => open,
        };
        fence.is_some()
    }
}

/// A line that begins with at least three backticks or tildes, which may open or close a block of code (CommonMark 4.5).
#[derive(Clone, Copy)]
struct Fence<'a> {
    mark: char,
    length: usize,
    /// The text after the marks.
    after: &'a str,
}

impl<'a> Fence<'a> {
    fn read(bare: &'a str) -> Option<Self> {
        let mark = bare.chars().next().filter(|mark| ['`', '~'].contains(mark))?;
        let after = bare.trim_start_matches(mark);
        let length = bare.len() - after.len();
        (length >= 3).then_some(Self { mark, length, after })
    }

    /// Returns whether the line opens a block. Text in backticks on one line, as in ```` ```code``` ````, opens none.
    fn opens(&self) -> bool {
        self.mark == '~' || !self.after.contains('`')
    }

    /// Returns whether the line closes the block that `open` has opened: it has at least as many of the same marks, and
    /// nothing else.
    fn closes(&self, open: &Fence<'_>) -> bool {
        self.mark == open.mark && self.length >= open.length && self.after.trim().is_empty()
    }
}

/// Finds the first line that may be a placeholder for omitted code but that [`check_for`] does not refuse, because it
/// may also be genuine: dots in a comment, such as `// ...`, or a comment in prose outside a code fence. Returns its
/// number, counted from 1, and its shortened text; `None` if there is no such line that the old text lacks.
#[must_use]
pub fn possible_placeholder(name: &str, new: &str, old: &str) -> Option<(usize, String)> {
    let mut is_fenced = fences();
    let is_prose = is_prose(name);
    let is_new = |bare: &str| !old.lines().any(|known| known.trim() == bare);
    let mut is_meant = |bare: &str| {
        let is_quoted = is_prose && is_fenced(bare);
        !is_quoted && comment(bare).1 && marker(bare) == Some(Marker::Said) && is_new(bare)
    };
    let found = new.split('\n').map(str::trim).enumerate().find(|(_, bare)| is_meant(bare));
    found.map(|(index, bare)| (index + 1, cut::line(bare, 120).0.to_owned()))
}

/// Returns whether a file with this name is prose, which may quote code.
fn is_prose(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    extension.is_some_and(|extension| PROSE.contains(&extension.as_str()))
}

/// File name extensions of prose, which may quote code.
const PROSE: &[&str] = &["md", "markdown", "mdx", "mdc", "rst", "adoc", "asciidoc", "org"];

/// Checks each line of new text; `quotes` returns true for a line that may quote a placeholder for code.
fn check_lines(new: &str, old: &str, mut quotes: impl FnMut(&str) -> bool) -> Result<(), PlaceholderError> {
    for (index, line) in new.split('\n').enumerate() {
        let bare = line.trim();
        let is_quoted = quotes(bare);
        let kind = if is_notice(bare) {
            Kind::Notice
        } else if !is_quoted && is_omission(bare) {
            Kind::Omission
        } else {
            continue;
        };
        if !old.lines().any(|known| known.trim() == bare) {
            return Err(placeholder(kind, index + 1, line));
        }
    }
    match numbered(new) {
        Some((line, text)) if numbered(old).is_none() => Err(placeholder(Kind::Gutter, line, text)),
        _ => Ok(()),
    }
}

/// A line with a line number before it, as some tools show lines.
pub(crate) struct NumberedLine<'a> {
    pub(crate) number: u64,
    pub(crate) mark: NumberMark,
    /// The line after the number and the mark.
    pub(crate) text: &'a str,
}

/// The mark between a line number and its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberMark {
    /// A hash of the line and a bar, as in `42:ab | let a = 1;`.
    Hash,
    Tab,
    Arrow,
    Bar,
    Colon,
}

/// Splits a line into the line number at its beginning and the rest; `None` if the line does not begin with a
/// number and a mark such as a tab or `|`.
pub(crate) fn gutter(line: &str) -> Option<NumberedLine<'_>> {
    use NumberMark::{Arrow, Bar, Colon, Hash, Tab};
    if let Some((number, text)) = referred(line) {
        return Some(NumberedLine { number, mark: Hash, text });
    }
    let digits = line.trim_start_matches(' ');
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    let number = digits.get(..length)?.parse().ok()?;
    let rest = &digits[length..];
    let marks = [("\t", Tab), ("\u{2192}", Arrow), ("|\t", Bar), ("| ", Bar), (" | ", Bar), (": ", Colon)];
    let marked = marks.into_iter().find_map(|(text, mark)| Some((mark, rest.strip_prefix(text)?)));
    if let Some((mark, text)) = marked {
        return Some(NumberedLine { number, mark, text });
    }
    // On an empty line, the space after the mark is often trimmed.
    let marks = [("|", Bar), (" |", Bar), (":", Colon)];
    let (mark, text) = marks.into_iter().find_map(|(text, mark)| Some((mark, rest.strip_prefix(text)?)))?;
    text.trim_end().is_empty().then_some(NumberedLine { number, mark, text })
}

/// Splits a line such as `42:ab | let a = 1;` into its number and its text; `None` if the line does not begin
/// with a number and a hash.
fn referred(line: &str) -> Option<(u64, &str)> {
    let found = hashline::unreferred(line).filter(|found| found.reference.hash.is_some())?;
    Some((found.reference.line as u64, found.text))
}

fn placeholder(kind: Kind, line: usize, text: &str) -> PlaceholderError {
    PlaceholderError { kind, line, text: cut::line(text.trim(), 120).0.to_owned() }
}

/// Returns whether a line contains a truncation notice, or begins with any notice of Toolpost.
fn is_notice(line: &str) -> bool {
    let mut notices = line.match_indices(cut::NOTICE).map(|(at, mark)| &line[at + mark.len()..]);
    let truncated = line.strip_prefix(cut::TRUNCATED).is_some_and(|text| text.contains(" - showing "));
    notices.any(is_cut) || truncated || comment(line).0.starts_with(cut::NOTICE)
}

/// Returns whether the text after the beginning of a notice reports how much of the same line was left out. Such
/// notices follow content on the line; all others have a line to themselves.
fn is_cut(notice: &str) -> bool {
    let counts = notice.starts_with(|first: char| first.is_ascii_digit()) || notice.starts_with("left out ");
    counts && notice.contains(']')
}

/// Returns the first numbered line of a text, if most of its lines have consecutive numbers.
fn numbered(text: &str) -> Option<(usize, &str)> {
    let (mut full, mut in_order) = (0_usize, 0_usize);
    let (mut first, mut last) = (None, None);
    for (index, line) in text.split('\n').enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        full += 1;
        let number = padded(line, last.is_some()).or_else(|| referred(line).map(|(number, _)| number));
        if let Some(number) = number {
            first.get_or_insert((index + 1, line));
            in_order += usize::from(last.is_none_or(|last: u64| last.checked_add(1) == Some(number)));
        }
        last = number.or(last);
    }
    first.filter(|_| in_order > 1 && in_order * 2 > full)
}

/// Parses a line number in Toolpost's format: right-aligned in six columns, then a tab.
///
/// A number of six or more digits counts only after another numbered line (`after_padded`). Otherwise it is probably
/// the first column of a table.
fn padded(line: &str, after_padded: bool) -> Option<u64> {
    let (columns, _) = line.split_once('\t')?;
    let digits = columns.trim_start_matches(' ');
    let fits =
        if digits.len() < GUTTER { columns.len() == GUTTER } else { digits == columns && after_padded };
    (fits && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse().ok())?
}

/// Width of a line number, in columns.
const GUTTER: usize = 6;
