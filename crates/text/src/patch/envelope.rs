//! Parser for patches in the format that begins with `*** Begin Patch`.

use super::hunk::{Format, Hunk, HunkPosition, Line, LineChange, LineEnding};
use super::{FilePatch, ParseError, PatchAction, header};

const BEGIN: &str = "*** Begin Patch";
const FINISH: &str = "*** End Patch";
const ADD: &str = "*** Add File:";
const DELETE: &str = "*** Delete File:";
const UPDATE: &str = "*** Update File:";
const MOVE: &str = "*** Move to:";
const END_OF_FILE: &str = "*** End of File";

/// Returns whether a text begins with `*** Begin Patch`.
pub(super) fn is_envelope(text: &str) -> bool {
    text.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| line.trim() == BEGIN)
}

/// Parses a patch that begins with `*** Begin Patch`. `first_line` is the line number in the input on which `text`
/// begins.
pub(super) fn parse(text: &str, first_line: usize) -> Result<Vec<FilePatch>, ParseError> {
    let mut lines: Vec<(usize, &str)> = (first_line..).zip(text.split('\n')).collect();
    let full = |line: &(usize, &str)| !line.1.trim().is_empty();
    let last = lines.iter().rposition(full).map_or(0, |last| last + 1);
    lines.truncate(last);
    lines.drain(..lines.iter().position(full).unwrap_or(0));
    let is = |line: Option<&(usize, &str)>, marker: &str| line.is_some_and(|line| line.1.trim() == marker);
    let found = |line: Option<&(usize, &str)>| match line {
        Some((number, line)) => format!("; line {number} is '{}'", shorten(line)),
        None => "; the text is empty".to_owned(),
    };
    if !is(lines.first(), BEGIN) {
        let why = format!("The first line of the patch must be '{BEGIN}'{}", found(lines.first()));
        return Err(ParseError::Patch(why));
    }
    if !is(lines.last(), FINISH) {
        let why = format!("The last line of the patch must be '{FINISH}'{}", found(lines.last()));
        return Err(ParseError::Patch(why));
    }
    let mut reader = Reader { lines: &lines[1..lines.len() - 1], end: lines[lines.len() - 1].0 };
    let mut files = Vec::new();
    while let Some((number, line)) = reader.next_full() {
        files.push(reader.file(number, line)?);
    }
    Ok(files)
}

/// The lines of the patch that are still to be read.
struct Reader<'a> {
    lines: &'a [(usize, &'a str)],
    /// The line number after the last line of the patch.
    end: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<(usize, &'a str)> {
        self.lines.first().copied()
    }

    fn skip(&mut self) {
        self.lines = self.lines.get(1..).unwrap_or_default();
    }

    /// Takes the next line that is not blank.
    fn next_full(&mut self) -> Option<(usize, &'a str)> {
        self.skip_blank();
        let line = self.peek()?;
        self.skip();
        Some(line)
    }

    fn skip_blank(&mut self) {
        while self.peek().is_some_and(|(_, line)| line.trim().is_empty()) {
            self.skip();
        }
    }

    /// Parses the changes of one file, which start at the line that names the file.
    fn file(&mut self, number: usize, line: &str) -> Result<FilePatch, ParseError> {
        let line = line.trim();
        let named = |marker: &str| line.strip_prefix(marker).map(|path| path.trim().to_owned());
        let (path, what) = if let Some(path) = named(ADD) {
            (path, PatchAction::Add { content: self.content() })
        } else if let Some(path) = named(DELETE) {
            (path, PatchAction::Delete { hunks: Vec::new() })
        } else if let Some(path) = named(UPDATE) {
            let what = self.update(number, &path)?;
            (path, what)
        } else {
            let why = format!(
                "'{}' is not a valid hunk header. Valid hunk headers: '{ADD} {{path}}', '{DELETE} {{path}}', '{UPDATE} {{path}}'",
                shorten(line)
            );
            return Err(ParseError::hunk(number, why));
        };
        if path.is_empty() {
            return Err(ParseError::hunk(number, format!("'{line}' has no path")));
        }
        Ok(FilePatch { path, what })
    }

    /// Reads the lines of a new file. Each line has a `+`, or no line has one.
    fn content(&mut self) -> String {
        let count = self.lines.iter().take_while(|(_, line)| !is_marker(line)).count();
        let body = &self.lines[..count];
        let last = body.iter().rposition(|(_, line)| line.starts_with('+'));
        let mut content = String::new();
        let Some(last) = last else {
            self.lines = &self.lines[count..];
            let full = body.iter().rposition(|(_, line)| !line.trim().is_empty()).map_or(0, |last| last + 1);
            body[..full].iter().for_each(|(_, line)| push_line(&mut content, line));
            return content;
        };
        // Between lines with a `+`, a blank line may lack it. Any other line without a `+` ends the content here,
        // so that the caller reports it with its number.
        let whole = body[..=last].iter().all(|(_, line)| line.starts_with('+') || line.trim().is_empty());
        let first = body.iter().position(|(_, line)| !line.starts_with('+')).unwrap_or(body.len());
        let taken = if whole { last + 1 } else { first };
        for (_, line) in &body[..taken] {
            push_line(&mut content, line.strip_prefix('+').unwrap_or(""));
        }
        self.lines = &self.lines[taken..];
        content
    }

    /// Reads the new path of a file, if it has one, and the hunks of the file.
    fn update(&mut self, number: usize, path: &str) -> Result<PatchAction, ParseError> {
        self.skip_blank();
        let mut move_to = None;
        if let Some((number, line)) = self.peek()
            && let Some(path) = line.trim().strip_prefix(MOVE)
        {
            if path.trim().is_empty() {
                return Err(ParseError::hunk(number, format!("'{}' has no path", line.trim())));
            }
            move_to = Some(path.trim().to_owned());
            self.skip();
        }
        let mut hunks = Vec::new();
        loop {
            self.skip_blank();
            match self.peek() {
                Some((_, line)) if !line.starts_with("***") && !is_marker(line) => {
                    hunks.push(self.hunk(hunks.is_empty())?);
                }
                _ => break,
            }
        }
        if hunks.is_empty() && move_to.is_none() {
            return Err(ParseError::hunk(number, format!("Update file hunk for path '{path}' is empty")));
        }
        Ok(PatchAction::Update { move_to, hunks })
    }

    /// Reads one hunk; the first hunk of a file may lack its `@@` line.
    fn hunk(&mut self, first: bool) -> Result<Hunk, ParseError> {
        let at = self.number();
        let mut hunk = Hunk {
            scope: Vec::new(),
            lines: Vec::new(),
            end: HunkPosition::Anywhere,
            numbers: None,
            format: Format::Envelope,
            at,
        };
        let mut opened = false;
        while let Some(header) = self.peek().and_then(|(_, line)| header::read(line)) {
            opened = true;
            self.skip();
            match header {
                header::Header::Numbers(numbers) => hunk.numbers = Some(numbers),
                header::Header::Scope(scope) => hunk.scope.push(scope),
                header::Header::Nothing => {}
            }
        }
        if !opened && !first {
            let line = self.peek().map_or("", |(_, line)| line);
            let why = format!(
                "Expected update hunk to start with a @@ context marker, got: '{}'",
                shorten(line.trim_end())
            );
            return Err(ParseError::hunk(at, why));
        }
        self.hunk_lines(&mut hunk)?;
        if hunk.lines.is_empty() {
            return Err(ParseError::hunk(self.number(), "Update hunk does not contain any lines"));
        }
        Ok(hunk)
    }

    fn hunk_lines(&mut self, hunk: &mut Hunk) -> Result<(), ParseError> {
        while let Some((number, line)) = self.peek() {
            if line.trim() == END_OF_FILE && !hunk.lines.is_empty() {
                hunk.end = HunkPosition::OfFile;
                self.skip();
                return Ok(());
            }
            match read_line(line, hunk) {
                HunkLine::Line(line) => hunk.lines.push(line),
                HunkLine::NoBreak => {}
                HunkLine::Other if line.trim() == END_OF_FILE => return Ok(()),
                HunkLine::Other if hunk.lines.is_empty() => return Err(unexpected(number, line)),
                HunkLine::Other => return Ok(()),
            }
            self.skip();
        }
        Ok(())
    }

    fn number(&self) -> usize {
        self.peek().map_or(self.end, |(number, _)| number)
    }
}

/// The kind of a line after the header of a hunk.
pub(super) enum HunkLine {
    /// A line of the hunk.
    Line(Line),
    /// The marker `\ No newline at end of file`, which belongs to the previous line.
    NoBreak,
    /// A line that cannot belong to a hunk.
    Other,
}

/// Parses a line after the header of a hunk.
pub(super) fn read_line(line: &str, hunk: &mut Hunk) -> HunkLine {
    let mut characters = line.chars();
    let sign = match characters.next() {
        None | Some(' ' | '\r') => LineChange::Context,
        Some('+') => LineChange::Add,
        Some('-') => LineChange::Remove,
        Some('\\') => {
            if let Some(last) = hunk.lines.last_mut() {
                last.ending = LineEnding::NoBreak;
            }
            return HunkLine::NoBreak;
        }
        Some(_) => return HunkLine::Other,
    };
    let text = if line.starts_with('\r') { line } else { characters.as_str() };
    HunkLine::Line(Line { sign, text: text.to_owned(), ending: LineEnding::Unsaid })
}

/// Returns the error for a line that is not valid in a hunk.
pub(super) fn unexpected(number: usize, line: &str) -> ParseError {
    let why = format!(
        "Unexpected line found in update hunk: '{}'. Every line should start with ' ' (context line), '+' (added line), or '-' (removed line)",
        shorten(line.trim_end_matches('\r'))
    );
    ParseError::hunk(number, why)
}

/// Shortens a line that an error quotes.
pub(super) fn shorten(line: &str) -> &str {
    crate::cut::line(line, 200).0
}

fn push_line(content: &mut String, line: &str) {
    content.push_str(line);
    content.push('\n');
}

/// Returns whether a line begins the section of the next file.
fn is_marker(line: &str) -> bool {
    let line = line.trim();
    [ADD, DELETE, UPDATE].iter().any(|marker| line.starts_with(marker))
}
