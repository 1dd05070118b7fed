//! Unified diffs, as `diff -u` and git write them, and as models do.

mod names;

use super::envelope::{Read, read_line, shorten, unexpected};
use super::header::{self, Header};
use super::hunk::{End, Ending, Format, Hunk, Numbers, Sign};
use super::{FilePatch, ParseError, What};

const GIT: &str = "diff --git ";

/// Returns whether a text looks like a unified diff: a file or hunk header, and a changed line.
#[must_use]
pub fn is_unified(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let changes = |line: &&str| line.starts_with([' ', '+', '-']);
    let hunk = |at: usize| matches!(header::read(lines[at]), Some(Header::Numbers(_) | Header::Nothing));
    let envelope = lines.iter().any(|line| line.starts_with("*** Update File:"));
    let extended = [
        "rename from ",
        "new file mode ",
        "deleted file mode ",
        "copy from ",
        "old mode ",
        "Binary files ",
        "GIT binary patch",
    ];
    !envelope
        && ((0..lines.len())
            .any(|at| hunk(at) && lines.get(at + 1).is_some_and(|next| next.is_empty() || changes(next)))
            || (lines.iter().any(|line| line.starts_with(GIT))
                && lines.iter().any(|line| extended.iter().any(|head| line.starts_with(head)))))
}

/// Reads a unified diff; its first line is the given one of the text that came.
pub(super) fn parse(
    text: &str,
    first_line: usize,
    known: Option<&str>,
) -> Result<Vec<FilePatch>, ParseError> {
    let lines: Vec<(usize, &str)> = (first_line..).zip(text.split('\n')).collect();
    let mut reader = Reader { lines: &lines };
    let mut sections = Vec::new();
    while let Some((number, line)) = reader.peek() {
        let files = reader.names();
        if line.starts_with(GIT) || files.is_some() {
            sections.push(reader.section(number)?);
        } else if header::read(line).is_some() {
            let mut section = Section::new(number);
            reader.hunks(&mut section)?;
            sections.push(section);
        } else {
            reader.skip();
        }
    }
    let known = known.filter(|_| sections.len() == 1);
    sections.into_iter().map(|section| section.finish(known)).collect()
}

/// The section of a diff about one file.
struct Section {
    line: usize,
    old: Option<String>,
    new: Option<String>,
    renamed: Option<(String, String)>,
    made: bool,
    deleted: bool,
    hunks: Vec<Hunk>,
}

impl Section {
    fn new(line: usize) -> Self {
        Self { line, old: None, new: None, renamed: None, made: false, deleted: false, hunks: Vec::new() }
    }

    /// Returns the change to the file.
    fn finish(self, known: Option<&str>) -> Result<FilePatch, ParseError> {
        let line = self.line;
        let old_lines = self.hunks.iter().any(|hunk| hunk.old_lines().next().is_some());
        if self.made && !old_lines {
            let path = known.map(str::to_owned).or(self.new).ok_or_else(|| nameless(line))?;
            return Ok(FilePatch { path, what: What::Add { content: content(&self.hunks) } });
        }
        if self.deleted {
            let path = known.map(str::to_owned).or(self.old).ok_or_else(|| nameless(line))?;
            return Ok(FilePatch { path, what: What::Delete { hunks: self.hunks } });
        }
        let (path, move_to) = match (self.renamed, known) {
            (Some((from, to)), _) => (from, Some(to)),
            (None, Some(known)) => (known.to_owned(), None),
            (None, None) => (one_name(line, self.old, self.new)?, None),
        };
        if self.hunks.is_empty() && move_to.is_none() {
            return Err(ParseError::hunk(line, format!("Update file hunk for path '{path}' is empty")));
        }
        Ok(FilePatch { path, what: What::Update { move_to, hunks: self.hunks } })
    }
}

/// Returns the name that both lines of a header agree on.
fn one_name(line: usize, old: Option<String>, new: Option<String>) -> Result<String, ParseError> {
    match (old, new) {
        (Some(old), Some(new)) if old != new => Err(ParseError::hunk(
            line,
            format!(
                "the diff names '{old}' as the old and '{new}' as the new file; name the same file twice, or add \
                 'rename from {old}' and 'rename to {new}' before the '---' line"
            ),
        )),
        (old, new) => old.or(new).ok_or_else(|| nameless(line)),
    }
}

fn nameless(line: usize) -> ParseError {
    let why = "the diff names no file; put '--- a/{path}' and '+++ b/{path}' before its first '@@'";
    ParseError::hunk(line, why)
}

/// Returns the lines of a new file.
fn content(hunks: &[Hunk]) -> String {
    let mut content = String::new();
    for line in hunks.iter().flat_map(Hunk::new_lines) {
        content.push_str(&line.text);
        if line.ending == Ending::Unsaid {
            content.push('\n');
        }
    }
    content
}

/// The lines that are still to be read.
struct Reader<'a> {
    lines: &'a [(usize, &'a str)],
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<(usize, &'a str)> {
        self.lines.first().copied()
    }

    fn skip(&mut self) {
        self.lines = self.lines.get(1..).unwrap_or_default();
    }

    /// Returns the old and the new file name of the next two lines, if they have them.
    fn names(&self) -> Option<(&'a str, &'a str)> {
        let old = self.lines.first()?.1.strip_prefix("--- ")?;
        let new = self.lines.get(1)?.1.strip_prefix("+++ ")?;
        Some((old, new))
    }

    /// Parses the section of one file.
    fn section(&mut self, number: usize) -> Result<Section, ParseError> {
        let mut section = Section::new(number);
        if let Some(both) = self.peek().and_then(|(_, line)| line.strip_prefix(GIT)) {
            (section.old, section.new) = names::git(both);
            self.skip();
            self.extended(&mut section)?;
        }
        if let Some((old, new)) = self.names() {
            let (old, new) = names::pair(old, new);
            section.made |= old.is_none();
            section.deleted |= new.is_none();
            (section.old, section.new) = (old, new);
            self.skip();
            self.skip();
        }
        self.hunks(&mut section)?;
        Ok(section)
    }

    /// Reads git's lines between `diff --git` and the first `---`.
    fn extended(&mut self, section: &mut Section) -> Result<(), ParseError> {
        let (mut from, mut to) = (None, None);
        while let Some((number, line)) = self.peek() {
            let line = line.trim_end();
            if self.names().is_some() || line.starts_with(GIT) || header::read(line).is_some() {
                break;
            }
            if let Some(mode) = line.strip_prefix("new file mode ") {
                section.made = true;
                plain_mode(number, mode)?;
            } else if line.starts_with("deleted file mode ") {
                section.deleted = true;
            } else if line.starts_with("old mode ") || line.starts_with("new mode ") {
                return Err(mode(number));
            } else if let Some(name) = line.strip_prefix("rename from ") {
                from = Some(names::unquoted(name));
            } else if let Some(name) = line.strip_prefix("rename to ") {
                to = Some(names::unquoted(name));
            } else if line.starts_with("copy from ") {
                let why = "it copies a file; add the new file with its whole content instead";
                return Err(ParseError::refused(number, why));
            } else if line.starts_with("Binary files ") || line.starts_with("GIT binary patch") {
                let why = "it changes a binary file, and only text can be patched; leave that file out";
                return Err(ParseError::refused(number, why));
            }
            self.skip();
        }
        section.renamed = from.zip(to);
        Ok(())
    }

    /// Reads hunks as long as there are any.
    fn hunks(&mut self, section: &mut Section) -> Result<(), ParseError> {
        while let Some((at, line)) = self.peek() {
            let Some(header) = header::read(line) else {
                if line.starts_with("Binary files ") {
                    return Err(ParseError::refused(
                        at,
                        "it changes a binary file, and only text can be patched",
                    ));
                }
                return Ok(());
            };
            self.skip();
            let mut hunk = Hunk {
                scope: Vec::new(),
                lines: Vec::new(),
                end: End::Anywhere,
                numbers: None,
                format: Format::Unified,
                at,
            };
            match header {
                Header::Numbers(numbers) => hunk.numbers = Some(numbers),
                Header::Scope(scope) => hunk.scope.push(scope),
                Header::Nothing => {}
            }
            self.hunk_lines(&mut hunk)?;
            if hunk.lines.is_empty() {
                return Err(ParseError::hunk(
                    at,
                    format!("Update hunk does not contain any lines: '{}'", shorten(line)),
                ));
            }
            section.hunks.push(hunk);
        }
        Ok(())
    }

    fn hunk_lines(&mut self, hunk: &mut Hunk) -> Result<(), ParseError> {
        let mut missing = hunk.numbers.map(Missing::all);
        while let Some((number, line)) = self.peek() {
            if self.ends(missing, line) {
                break;
            }
            // A line that begins with a tab has lost the space in front of it.
            let read = if line.starts_with('\t') {
                read_line(&format!(" {line}"), hunk)
            } else {
                read_line(line, hunk)
            };
            match read {
                Read::Line(line) => {
                    missing = missing.map(|missing| missing.without(line.sign));
                    hunk.lines.push(line);
                }
                Read::NoBreak => {}
                Read::Other => return Err(unexpected(number, line)),
            }
            self.skip();
        }
        // Blank lines behind a hunk separate it from the next section.
        while missing != Some(Missing::NOTHING)
            && hunk.lines.last().is_some_and(|last| last.sign == Sign::Context && last.text.trim().is_empty())
        {
            hunk.lines.pop();
        }
        Ok(())
    }

    /// Returns whether a hunk ends before a line.
    fn ends(&self, missing: Option<Missing>, line: &str) -> bool {
        if self.names().is_some() && self.lines.get(2).is_some_and(|(_, line)| header::read(line).is_some()) {
            // `-- a` that goes and `++ b` that comes look the same; the numbers tell, if they are right.
            return missing != Some(Missing { old: 1, new: 1 });
        }
        let follows = ["diff ", "Index: ", "====", "Only in ", "From ", "@@"];
        follows.iter().any(|head| line.starts_with(head))
            || (missing == Some(Missing::NOTHING) && (line.is_empty() || line.trim_end() == "--"))
    }
}

/// Missing old and new lines according to the header; negative if there are too many.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Missing {
    old: isize,
    new: isize,
}

impl Missing {
    const NOTHING: Self = Self { old: 0, new: 0 };

    fn all(numbers: Numbers) -> Self {
        let promised = |count: usize| isize::try_from(count).unwrap_or(isize::MAX);
        Self { old: promised(numbers.old.1), new: promised(numbers.new.1) }
    }

    fn without(self, sign: Sign) -> Self {
        let (old, new) = match sign {
            Sign::Context => (1, 1),
            Sign::Remove => (1, 0),
            Sign::Add => (0, 1),
        };
        Self { old: self.old - old, new: self.new - new }
    }
}

/// Lets only the mode of plain files through: others cannot be given by a text.
fn plain_mode(number: usize, said: &str) -> Result<(), ParseError> {
    if said.trim() == "100644" { Ok(()) } else { Err(mode(number)) }
}

fn mode(number: usize) -> ParseError {
    let why = "it sets the mode of a file, which a patch of text cannot; leave the mode out and set it by a command";
    ParseError::refused(number, why)
}
