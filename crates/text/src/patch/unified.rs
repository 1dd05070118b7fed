//! Parser for unified diffs, in the forms that `diff -u`, Git and models write.

mod names;

use super::envelope::{HunkLine, read_line, shorten, unexpected};
use super::header::{self, Header};
use super::hunk::{Format, Hunk, HunkPosition, LineChange, LineEnding, Numbers};
use super::{FilePatch, ParseError, PatchAction};

const GIT: &str = "diff --git ";

/// Returns whether a text looks like a unified diff: it has no `*** Update File:` line, and has either a hunk header
/// followed by a line of a hunk, or both a `diff --git` line and another header line of Git, such as `rename from`.
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

/// Parses a unified diff; `first_line` is the line number in the input on which `text` begins. If the diff changes a
/// single file and does not rename it, `known` replaces the path in the diff.
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

/// The section of a diff that changes one file.
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

    /// Returns the change to the file that the section describes. `known` is the path of the file, if the
    /// caller has specified it.
    fn finish(self, known: Option<&str>) -> Result<FilePatch, ParseError> {
        let line = self.line;
        let old_lines = self.hunks.iter().any(|hunk| hunk.old_lines().next().is_some());
        if self.made && !old_lines {
            let path = known.map(str::to_owned).or(self.new).ok_or_else(|| nameless(line))?;
            return Ok(FilePatch { path, what: PatchAction::Add { content: content(&self.hunks) } });
        }
        if self.deleted {
            let path = known.map(str::to_owned).or(self.old).ok_or_else(|| nameless(line))?;
            return Ok(FilePatch { path, what: PatchAction::Delete { hunks: self.hunks } });
        }
        let (path, move_to) = match (self.renamed, known) {
            (Some((from, to)), _) => (from, Some(to)),
            (None, Some(known)) => (known.to_owned(), None),
            (None, None) => (one_name(line, self.old, self.new)?, None),
        };
        if self.hunks.is_empty() && move_to.is_none() {
            return Err(ParseError::hunk(line, format!("Update file hunk for path '{path}' is empty")));
        }
        Ok(FilePatch { path, what: PatchAction::Update { move_to, hunks: self.hunks } })
    }
}

/// Returns the file name on which the lines `---` and `+++` of a header agree.
fn one_name(line: usize, old: Option<String>, new: Option<String>) -> Result<String, ParseError> {
    match (old, new) {
        (Some(old), Some(new)) if old != new => Err(ParseError::hunk(
            line,
            format!(
                "the diff has '{old}' as the old and '{new}' as the new file; use the same path twice, or add \
                 'rename from {old}' and 'rename to {new}' before the '---' line"
            ),
        )),
        (old, new) => old.or(new).ok_or_else(|| nameless(line)),
    }
}

fn nameless(line: usize) -> ParseError {
    let why = "the diff has no file header; put '--- a/{path}' and '+++ b/{path}' before its first '@@'";
    ParseError::hunk(line, why)
}

/// Returns the content of a new file, made of the lines of its hunks.
fn content(hunks: &[Hunk]) -> String {
    let mut content = String::new();
    for line in hunks.iter().flat_map(Hunk::new_lines) {
        content.push_str(&line.text);
        if line.ending == LineEnding::Unsaid {
            content.push('\n');
        }
    }
    content
}

/// The lines of the diff that are still to be read.
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

    /// Returns the old and the new file name if the next two lines are `---` and `+++` lines.
    fn names(&self) -> Option<(&'a str, &'a str)> {
        let old = self.lines.first()?.1.strip_prefix("--- ")?;
        let new = self.lines.get(1)?.1.strip_prefix("+++ ")?;
        Some((old, new))
    }

    /// Parses the section of a diff that changes one file.
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

    /// Parses Git's lines between `diff --git` and the first `---`.
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
                let why = "a text patch cannot copy a file; add the new file with its whole content instead";
                return Err(ParseError::refused(number, why));
            } else if line.starts_with("Binary files ") || line.starts_with("GIT binary patch") {
                let why = "a text patch cannot change a binary file; leave that file out";
                return Err(ParseError::refused(number, why));
            }
            self.skip();
        }
        section.renamed = from.zip(to);
        Ok(())
    }

    /// Parses the hunks of a section, up to a line that does not begin a hunk.
    fn hunks(&mut self, section: &mut Section) -> Result<(), ParseError> {
        while let Some((at, line)) = self.peek() {
            let Some(header) = header::read(line) else {
                if line.starts_with("Binary files ") {
                    return Err(ParseError::refused(
                        at,
                        "a text patch cannot change a binary file; leave that file out",
                    ));
                }
                return Ok(());
            };
            self.skip();
            let mut hunk = Hunk {
                scope: Vec::new(),
                lines: Vec::new(),
                end: HunkPosition::Anywhere,
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
        let mut missing = hunk.numbers.map(MissingLines::all);
        while let Some((number, line)) = self.peek() {
            if self.ends(missing, line) {
                break;
            }
            // A line that begins with a tab has lost the space that marks it as a context line.
            let read = if line.starts_with('\t') {
                read_line(&format!(" {line}"), hunk)
            } else {
                read_line(line, hunk)
            };
            match read {
                HunkLine::Line(line) => {
                    missing = missing.map(|missing| missing.without(line.sign));
                    hunk.lines.push(line);
                }
                HunkLine::NoBreak => {}
                HunkLine::Other => return Err(unexpected(number, line)),
            }
            self.skip();
        }
        // Blank lines at the end of a hunk separate it from the next section, unless its header counts them.
        while missing != Some(MissingLines::NOTHING)
            && hunk
                .lines
                .last()
                .is_some_and(|last| last.sign == LineChange::Context && last.text.trim().is_empty())
        {
            hunk.lines.pop();
        }
        Ok(())
    }

    /// Returns whether a hunk has ended before this line.
    fn ends(&self, missing: Option<MissingLines>, line: &str) -> bool {
        if self.names().is_some() && self.lines.get(2).is_some_and(|(_, line)| header::read(line).is_some()) {
            // A removed line `-- a` and an added line `++ b` look like the names of the next file. They belong to the
            // hunk only if exactly one removed and one added line are missing from the counts in its header.
            return missing != Some(MissingLines { old: 1, new: 1 });
        }
        let follows = ["diff ", "Index: ", "====", "Only in ", "From ", "@@"];
        follows.iter().any(|head| line.starts_with(head))
            || (missing == Some(MissingLines::NOTHING) && (line.is_empty() || line.trim_end() == "--"))
    }
}

/// Numbers of old and new lines that a hunk still lacks according to its header; negative if it has too many.
#[derive(Clone, Copy, PartialEq, Eq)]
struct MissingLines {
    old: isize,
    new: isize,
}

impl MissingLines {
    const NOTHING: Self = Self { old: 0, new: 0 };

    fn all(numbers: Numbers) -> Self {
        let promised = |count: usize| isize::try_from(count).unwrap_or(isize::MAX);
        Self { old: promised(numbers.old.1), new: promised(numbers.new.1) }
    }

    fn without(self, sign: LineChange) -> Self {
        let (old, new) = match sign {
            LineChange::Context => (1, 1),
            LineChange::Remove => (1, 0),
            LineChange::Add => (0, 1),
        };
        Self { old: self.old - old, new: self.new - new }
    }
}

/// Accepts only the mode of regular files, `100644`, because a text patch cannot set other modes.
fn plain_mode(number: usize, said: &str) -> Result<(), ParseError> {
    if said.trim() == "100644" { Ok(()) } else { Err(mode(number)) }
}

fn mode(number: usize) -> ParseError {
    let why = "a text patch cannot set the mode of a file; leave the mode out and set it with a command";
    ParseError::refused(number, why)
}
