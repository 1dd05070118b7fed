//! A word of a command after quote removal, with the part that is known before the command runs.

use std::ops::Range;

/// One word of a command, to the extent known before the command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The word as written, with quotes.
    pub text: String,
    /// The known beginning of the word, without quotes.
    pub start: String,
    /// The part of the word that is known: all, the beginning, or nothing.
    pub sure: Certainty,
    /// The word as a pattern, if it is unknown only because of wildcards or braces. The pattern has the unquoted characters
    /// of the word, and a backslash before each quoted character that the shell would interpret otherwise.
    pub pattern: Option<String>,
}

/// The part of a word that is known before the command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// The whole word is known.
    All,
    /// The beginning is known. If the word expands to several words, each of them begins so.
    Start,
    /// Nothing is known: the word may expand to any number of words.
    Nothing,
}

impl Word {
    /// Creates a word that is known as a whole, from its text without quotes.
    #[must_use]
    pub fn known_as(text: &str) -> Self {
        Self { text: quoted(text), start: text.to_owned(), sure: Certainty::All, pattern: None }
    }

    /// Creates a word with a known beginning and an unknown end.
    pub(crate) fn beginning(text: &str, start: &str) -> Self {
        let sure = if start.is_empty() { Certainty::Nothing } else { Certainty::Start };
        Self { text: text.to_owned(), start: start.to_owned(), sure, pattern: None }
    }

    /// Returns the word without quotes; `None` if a part of it is unknown.
    #[must_use]
    pub fn known(&self) -> Option<&str> {
        (self.sure == Certainty::All).then_some(self.start.as_str())
    }

    /// Returns whether the word may be an option, which begins with a dash.
    #[must_use]
    pub fn may_be_option(&self) -> bool {
        match self.sure {
            Certainty::All | Certainty::Start => {
                self.start.starts_with('-') || (self.start.is_empty() && self.sure == Certainty::Start)
            }
            Certainty::Nothing => true,
        }
    }

    /// Returns the word without a prefix; `None` if the known beginning does not have the prefix.
    pub(crate) fn after(&self, prefix: &str) -> Option<Self> {
        let rest = self.start.strip_prefix(prefix)?;
        let text = self.text.strip_prefix(prefix).map_or_else(|| quoted(rest), str::to_owned);
        Some(Self { text, start: rest.to_owned(), sure: self.sure, pattern: None })
    }
}

/// Reads a word as a shell does. `opaque` are the byte ranges that are known only when the command runs, in
/// order.
///
/// Fails if a shell may read the word differently from the grammar.
pub(crate) fn read(text: &str, opaque: &[Range<usize>]) -> Result<Word, &'static str> {
    let cuts = |hole: &Range<usize>| !text.is_char_boundary(hole.start) || !text.is_char_boundary(hole.end);
    if opaque.iter().any(cuts) {
        return Err(DIFFERS);
    }
    let mut reading = WordReader {
        text,
        at: 0,
        opaque,
        start: String::new(),
        sure: Certainty::All,
        depth: 0,
        separates: BraceParts::Nothing,
        braces: Braces::Plain,
        pattern: Some(String::new()),
    };
    reading.run()?;
    let mut sure = reading.sure;
    if reading.braces == Braces::Several {
        sure = Certainty::Nothing;
    }
    let start = if sure == Certainty::Nothing { String::new() } else { reading.start };
    let pattern = reading.pattern.filter(|_| sure != Certainty::All);
    Ok(Word { text: text.to_owned(), start, sure, pattern })
}

/// Quotes a word so that a shell reads it back verbatim.
#[must_use]
pub fn quoted(text: &str) -> String {
    let plain = |found: char| found.is_ascii_alphanumeric() || "-_./=:@%+^".contains(found);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

struct WordReader<'a> {
    text: &'a str,
    at: usize,
    opaque: &'a [Range<usize>],
    start: String,
    sure: Certainty,
    /// Number of braces that are open at the current position of the word.
    depth: usize,
    separates: BraceParts,
    braces: Braces,
    /// The word as a pattern so far; `None` if a part of the word is known only when the command runs.
    pattern: Option<String>,
}

/// The parts of a brace expansion that the word has so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BraceParts {
    Nothing,
    /// An opening brace.
    Open,
    /// An opening brace, and after it a comma or `..`. Any later closing brace may end the expansion, as in `{a},b}`.
    Parts,
}

/// The effect of unquoted braces on a word: none, or several words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Braces {
    Plain,
    Several,
}

const DIFFERS: &str = "a shell may read this word differently from Toolpost's shell parser";

impl WordReader<'_> {
    fn run(&mut self) -> Result<(), &'static str> {
        while let Some(next) = self.next() {
            match next {
                Piece::Opaque => self.opaque(),
                Piece::Char('\\') => self.escaped()?,
                Piece::Char('\'') => self.single()?,
                Piece::Char('"') => self.double()?,
                Piece::Char('$') => self.dollar()?,
                Piece::Char(sign @ ('*' | '?' | '[')) => {
                    self.lose(Certainty::Start);
                    self.raw(sign);
                }
                Piece::Char(found @ ('{' | '}' | ',' | '.')) => {
                    self.plain(found);
                    self.raw(found);
                    self.brace(found)?;
                }
                Piece::Char(';' | '|' | '&' | '<' | '>' | '(' | ')' | '`' | '\n' | ' ' | '\t') => {
                    return Err(DIFFERS);
                }
                Piece::Char(found) => {
                    self.plain(found);
                    self.raw(found);
                }
            }
        }
        Ok(())
    }

    fn next(&mut self) -> Option<Piece> {
        if let Some(hole) = self.opaque.iter().find(|hole| hole.start == self.at && !hole.is_empty()) {
            self.at = hole.end;
            return Some(Piece::Opaque);
        }
        let found = self.text.get(self.at..)?.chars().next()?;
        self.at += found.len_utf8();
        Some(Piece::Char(found))
    }

    /// Adds a quoted character.
    fn push(&mut self, found: char) {
        self.plain(found);
        if r"*?[]{},.!^-~\".contains(found) {
            self.raw('\\');
        }
        self.raw(found);
    }

    /// Adds a character to the pattern.
    fn raw(&mut self, found: char) {
        if let Some(pattern) = &mut self.pattern {
            pattern.push(found);
        }
    }

    fn plain(&mut self, found: char) {
        if self.sure == Certainty::All {
            self.start.push(found);
        }
    }

    /// Takes a part that is known only when the command runs. The syntax tree also marks a sequence such as `{1..3}` so.
    fn opaque(&mut self) {
        self.sure = Certainty::Nothing;
        let hole = self.opaque.iter().find(|hole| hole.end == self.at);
        let sequence = hole.map(|hole| &self.text[hole.clone()]).filter(|hole| hole.starts_with('{'));
        match (sequence, &mut self.pattern) {
            (Some(sequence), Some(pattern)) => pattern.push_str(sequence),
            _ => self.pattern = None,
        }
    }

    /// Updates the state of brace expansion for `{`, `}`, a comma or a dot.
    fn brace(&mut self, found: char) -> Result<(), &'static str> {
        let (before, after) = (&self.text[..self.at], &self.text[self.at..]);
        match found {
            '{' => {
                self.depth += 1;
                // A shell takes `{}` at the beginning of a word literally.
                let is_open = before.len() > 1 || !after.starts_with('}');
                if is_open && self.separates == BraceParts::Nothing {
                    self.separates = BraceParts::Open;
                }
            }
            '}' => {
                self.depth = self.depth.saturating_sub(1);
                if self.separates == BraceParts::Parts {
                    self.braces = Braces::Several;
                }
            }
            _ => {
                if self.depth > 0 {
                    self.braces = Braces::Several;
                }
                let is_sequence = found == '.' && after.starts_with('.');
                if self.separates == BraceParts::Open && (found == ',' || is_sequence) {
                    self.separates = BraceParts::Parts;
                }
                if is_sequence && crosses_cases(before, after) {
                    return Err(DIFFERS);
                }
            }
        }
        Ok(())
    }

    /// Lowers the certainty of the word to `sure`, unless it is already `Nothing`.
    fn lose(&mut self, sure: Certainty) {
        if self.sure != Certainty::Nothing {
            self.sure = sure;
        }
    }

    fn escaped(&mut self) -> Result<(), &'static str> {
        match self.next() {
            Some(Piece::Char('\n')) => Ok(()),
            Some(Piece::Char(found)) => {
                self.push(found);
                Ok(())
            }
            Some(Piece::Opaque) | None => Err(DIFFERS),
        }
    }

    fn single(&mut self) -> Result<(), &'static str> {
        loop {
            match self.next() {
                Some(Piece::Char('\'')) => return Ok(()),
                Some(Piece::Char(found)) => self.push(found),
                Some(Piece::Opaque) | None => return Err(DIFFERS),
            }
        }
    }

    fn double(&mut self) -> Result<(), &'static str> {
        loop {
            match self.next() {
                Some(Piece::Char('"')) => return Ok(()),
                Some(Piece::Char('\\')) => match self.next() {
                    Some(Piece::Char('\n')) => {}
                    Some(Piece::Char(found @ ('$' | '`' | '"' | '\\'))) => self.push(found),
                    Some(Piece::Char(found)) => {
                        self.push('\\');
                        self.push(found);
                    }
                    Some(Piece::Opaque) | None => return Err(DIFFERS),
                },
                Some(Piece::Char('$')) if !self.expands() => self.push('$'),
                Some(Piece::Char('$' | '`')) | None => return Err(DIFFERS),
                Some(Piece::Char(found)) => self.push(found),
                Some(Piece::Opaque) => {
                    self.lose(Certainty::Start);
                    self.pattern = None;
                }
            }
        }
    }

    /// Reads the text after a dollar sign that is not part of an expansion in the syntax tree.
    fn dollar(&mut self) -> Result<(), &'static str> {
        match self.text[self.at..].chars().next() {
            Some('\'') => {
                self.at += 1;
                self.escapes()
            }
            Some('"') => {
                self.at += 1;
                self.double()
            }
            _ if self.expands() => Err(DIFFERS),
            _ => {
                self.push('$');
                Ok(())
            }
        }
    }

    fn expands(&self) -> bool {
        let next = self.text[self.at..].chars().next();
        next.is_some_and(|next| next.is_ascii_alphanumeric() || "_({[@*#?-$!`".contains(next))
    }

    /// Reads the content of `$'…'`: decodes common escapes; any other escape makes the word unknown.
    fn escapes(&mut self) -> Result<(), &'static str> {
        loop {
            match self.next() {
                Some(Piece::Char('\'')) => return Ok(()),
                Some(Piece::Char('\\')) => match self.next() {
                    Some(Piece::Char('n')) => self.push('\n'),
                    Some(Piece::Char('t')) => self.push('\t'),
                    Some(Piece::Char(found @ ('\\' | '\'' | '"' | '?'))) => self.push(found),
                    Some(Piece::Char(_)) => {
                        self.lose(Certainty::Nothing);
                        self.pattern = None;
                    }
                    Some(Piece::Opaque) | None => return Err(DIFFERS),
                },
                Some(Piece::Char(found)) => self.push(found),
                Some(Piece::Opaque) | None => return Err(DIFFERS),
            }
        }
    }
}

/// Returns whether the dots after `before` are those of a sequence such as `{Z..a}`. Its expansion contains a backquote,
/// so a shell can run a part of the word that the grammar takes for text.
fn crosses_cases(before: &str, after: &str) -> bool {
    let first = before.strip_suffix('.').and_then(|before| before.chars().next_back());
    let last = after.strip_prefix('.').and_then(|after| after.chars().next());
    let (Some(first), Some(last)) = (first, last) else { return false };
    let is_first = before.ends_with(&format!("{{{first}."));
    let is_last = after[1 + last.len_utf8()..].starts_with(['.', '}']);
    let crosses = first.is_ascii_uppercase() != last.is_ascii_uppercase();
    is_first && is_last && crosses && first.is_ascii_alphabetic() && last.is_ascii_alphabetic()
}

enum Piece {
    Char(char),
    Opaque,
}
