//! Command patterns, matched against the parsed words of a command and never against its text.

use toolpost_shell::{Certainty, Segment, Word};

/// A command pattern of a rule, such as `git push`.
///
/// A rule that allows uses the strict [`Pattern::covers`]; other rules use the lenient [`Pattern::reach`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// The text of the pattern in the policy file.
    pub(crate) text: String,
    /// Words of the form `NAME=value` before the program.
    settings: Vec<Piece>,
    program: Piece,
    words: Vec<Piece>,
    end: End,
}

/// The end of a pattern: further words may follow, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Open,
    Closed,
}

/// The certainty with which the pattern of a rule that asks or denies applies to a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PatternCertainty {
    No,
    /// The pattern may apply: a word of the command is unknown until the command runs.
    Perhaps,
    Yes,
}

/// The directories whose programs a pattern matches by their bare names.
const SYSTEM: &[&str] = &["/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/opt/homebrew/bin"];

impl Pattern {
    /// Parses a command pattern. Quotes and backslashes make a space part of a word, and a `*` literal. After a last word
    /// `$`, no further words may follow.
    pub(crate) fn read(text: &str) -> Result<Self, &'static str> {
        let mut pieces = pieces(text)?;
        let end = if pieces.last().is_some_and(|last| last.plain.as_deref() == Some("$")) {
            End::Closed
        } else {
            End::Open
        };
        if end == End::Closed {
            pieces.pop();
        }
        let program = pieces.iter().position(|piece| !piece.sets()).ok_or("it contains no program name")?;
        let words = pieces.split_off(program + 1);
        let program = pieces.pop().ok_or("it contains no program name")?;
        Ok(Self { text: text.to_owned(), settings: pieces, program, words, end })
    }

    /// Returns true if a rule that allows with this pattern covers a command. The match is strict, so that the rule
    /// covers no command in which the words of the pattern have another meaning.
    pub(crate) fn covers(&self, segment: &Segment) -> bool {
        let Some(program) = segment.program() else { return false };
        let plain = match program.rsplit_once('/') {
            None => program,
            Some(_) if self.program.holds('/') => program,
            Some((directory, name)) if SYSTEM.contains(&directory) => name,
            Some(_) => return false,
        };
        if !self.program.matches(plain) {
            return false;
        }
        let given = &segment.words[1..];
        let inward = given.len() >= self.words.len()
            && self.words.iter().zip(given).all(|(piece, word)| piece.is_at(word));
        match self.end {
            End::Closed => inward && given.len() == self.words.len(),
            End::Open => inward || self.covers_apart(given),
        }
    }

    /// Matches the operands of the pattern at the start of the command's words, and its options anywhere
    /// after these operands.
    ///
    /// A pattern with an option before an operand does not match in this way: `python3 -m pytest` is not
    /// `python3 pytest -m`.
    fn covers_apart(&self, given: &[Word]) -> bool {
        let option = self.words.iter().position(Piece::is_option);
        if option.is_some_and(|at| self.words[at..].iter().any(|piece| !piece.is_option())) {
            return false;
        }
        let (options, operands): (Vec<&Piece>, Vec<&Piece>) =
            self.words.iter().partition(|piece| piece.is_option());
        let first = given.len() >= operands.len()
            && operands.iter().zip(given).all(|(piece, word)| piece.is_at(word));
        let rest = given.get(operands.len()..).unwrap_or_default();
        let rest: Vec<&str> = rest.iter().filter_map(Word::known).take_while(|word| *word != "--").collect();
        first && options.iter().all(|option| rest.iter().any(|word| option.matches_option(word)))
    }

    /// Returns the certainty with which a rule that asks or denies applies to a command, even if the command
    /// is written in another form.
    pub(crate) fn reach(&self, segment: &Segment) -> PatternCertainty {
        let Some(name) = segment.program_name() else { return PatternCertainty::No };
        let whole = segment.program().unwrap_or_default();
        let meant =
            if self.program.holds('/') { self.program.matches(whole) } else { self.program.matches(name) };
        if !meant {
            return PatternCertainty::No;
        }
        // A `name=value` word of the pattern, as in `dd if=x`, may appear anywhere, as options may.
        let (options, operands): (Vec<&Piece>, Vec<&Piece>) =
            self.words.iter().partition(|piece| piece.is_option() || piece.sets());
        let mut reach = follows(&operands, &candidates(segment));
        for option in options {
            let is_meant = |word: &str| option.matches(word) || option.matches(&plain_path(word));
            let there = option.plain.as_deref().is_some_and(|plain| segment.carries(plain))
                || segment.words.iter().filter_map(Word::known).any(is_meant);
            let doubtful =
                segment.words.iter().skip(1).any(|word| word.may_be_option() && word.known().is_none());
            let found = if there {
                PatternCertainty::Yes
            } else if doubtful {
                PatternCertainty::Perhaps
            } else {
                PatternCertainty::No
            };
            reach = least(reach, found);
        }
        for setting in &self.settings {
            let there = segment
                .assignments
                .iter()
                .any(|set| setting.matches(&format!("{}={}", set.name, set.value.start)));
            reach = least(reach, if there { PatternCertainty::Yes } else { PatternCertainty::No });
        }
        if self.end == End::Closed && segment.words.len() > self.words.len() + 1 {
            PatternCertainty::No
        } else {
            reach
        }
    }

    /// Checks that no words may follow those of the pattern.
    pub(crate) fn is_closed(&self) -> bool {
        self.end == End::Closed
    }

    /// Checks whether the pattern names a word with which a command does more than its program usually does
    /// (`Effect::More`). For a variable, its value must match, too.
    pub(crate) fn names(&self, word: &str, segment: &Segment) -> bool {
        if let Some(name) = word.strip_suffix('=') {
            let setting = |value: &Word| {
                self.settings.iter().filter(|setting| setting.text.starts_with(word)).any(|setting| {
                    let any = setting.text.get(word.len()..) == Some("*") && setting.plain.is_none();
                    any || value.known().is_some_and(|value| setting.matches(&format!("{word}{value}")))
                })
            };
            return segment.assignments.iter().filter(|set| set.name == name).all(|set| setting(&set.value));
        }
        self.words
            .iter()
            .any(|piece| piece.text != "*" && (piece.matches(word) || piece.matches_option(word)))
    }

    /// Returns the pattern that matches exactly one command; `None` if a word of the command is unknown
    /// before it runs, or the command only sets variables.
    pub(crate) fn exactly(segment: &Segment) -> Option<String> {
        let words: Option<Vec<&str>> = segment.words.iter().map(Word::known).collect();
        let words = words.filter(|words| !words.is_empty())?;
        let set = segment.assignments.iter().map(|set| Some(format!("{}={}", set.name, set.value.known()?)));
        let set: Vec<String> = set.collect::<Option<_>>()?;
        // A word with other characters is quoted, because they can be wildcards or operators of the shell.
        let plain = |word: &&str| {
            let is_plain = |letter: char| letter.is_alphanumeric() || "-_./:=@%+,^~{}[]?!".contains(letter);
            !word.is_empty() && word.chars().all(is_plain)
        };
        let all = set.iter().map(String::as_str).chain(words);
        let quoted = all.map(|word| {
            if plain(&word) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
        });
        Some(quoted.chain(["$".to_owned()]).collect::<Vec<_>>().join(" "))
    }
}

fn least(left: PatternCertainty, right: PatternCertainty) -> PatternCertainty {
    match (left, right) {
        (PatternCertainty::No, _) | (_, PatternCertainty::No) => PatternCertainty::No,
        (PatternCertainty::Perhaps, _) | (_, PatternCertainty::Perhaps) => PatternCertainty::Perhaps,
        (PatternCertainty::Yes, PatternCertainty::Yes) => PatternCertainty::Yes,
    }
}

/// A word of a command that is matched with an operand of a pattern.
struct Candidate<'w> {
    word: &'w Word,
    /// True if the word follows an option, so that it may be the value of that option.
    passed: bool,
}

fn candidates(segment: &Segment) -> Vec<Candidate<'_>> {
    let mut found = Vec::new();
    let mut option = false;
    for word in segment.words.iter().skip(1) {
        let dashed = word.start.starts_with('-');
        if !dashed {
            found.push(Candidate { word, passed: option });
        }
        option = dashed && !word.start.contains('=') && word.known() != Some("--");
    }
    found
}

/// Returns the certainty with which the operands of a pattern appear in order at the beginning of a command's
/// words.
fn follows(pieces: &[&Piece], words: &[Candidate<'_>]) -> PatternCertainty {
    let Some((piece, pieces)) = pieces.split_first() else { return PatternCertainty::Yes };
    let Some((candidate, rest)) = words.split_first() else { return PatternCertainty::No };
    let here = match candidate.word.known() {
        Some(known) if piece.matches(known) || piece.matches(&plain_path(known)) => PatternCertainty::Yes,
        Some(_) => PatternCertainty::No,
        None if piece.matches_any_after(candidate.word) => PatternCertainty::Yes,
        None => PatternCertainty::Perhaps,
    };
    let taken = least(here, follows(pieces, rest));
    let passed = if candidate.passed { follows_after(piece, pieces, rest) } else { PatternCertainty::No };
    if taken == PatternCertainty::Yes || passed == PatternCertainty::No { taken } else { passed }
}

/// Removes the parts of a path that do not change its target: `//` and `/./`.
fn plain_path(word: &str) -> String {
    let mut plain = word.to_owned();
    while plain.contains("//") || plain.contains("/./") {
        plain = plain.replace("/./", "/").replace("//", "/");
    }
    plain
}

fn follows_after(piece: &Piece, pieces: &[&Piece], rest: &[Candidate<'_>]) -> PatternCertainty {
    let all: Vec<&Piece> = std::iter::once(piece).chain(pieces.iter().copied()).collect();
    follows(&all, rest)
}

/// One word of a command pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    /// The word without its quotes.
    text: String,
    /// The word without its quotes; `None` if it contains a `*` wildcard.
    plain: Option<String>,
    /// The parts of the word between its `*` wildcards.
    parts: Vec<String>,
}

impl Piece {
    fn matches(&self, word: &str) -> bool {
        let Some((first, rest)) = self.parts.split_first() else { return word.is_empty() };
        let Some((last, middle)) = rest.split_last() else { return word == first };
        let Some(mut left) = word.strip_prefix(first.as_str()) else { return false };
        for part in middle {
            let Some(at) = left.find(part.as_str()) else { return false };
            left = &left[at + part.len()..];
        }
        left.ends_with(last.as_str())
    }

    /// Checks whether the pattern's word matches a command's word of which only the beginning is known,
    /// whatever follows.
    fn matches_any_after(&self, word: &Word) -> bool {
        let [first, last] = self.parts.as_slice() else { return false };
        last.is_empty() && word.sure == Certainty::Start && word.start.starts_with(first.as_str())
    }

    /// Checks whether the pattern's word matches a command's word; an option also matches with a value, as in
    /// `--jobs=2`.
    fn matches_option(&self, word: &str) -> bool {
        let name = word.split('=').next().unwrap_or(word);
        self.matches(word) || (self.is_option() && name.starts_with("--") && self.matches(name))
    }

    /// Returns true if the pattern's word matches the command's word at the same position. Only an option of the pattern
    /// matches an option of the command. A word that is unknown before the command runs matches only an unquoted `*`,
    /// and only if it cannot be an option.
    fn is_at(&self, word: &Word) -> bool {
        match word.known() {
            Some(known) => {
                self.matches(known) && (self.is_option() || !known.starts_with('-') || self.text == known)
            }
            None => {
                self.plain.is_none()
                    && self.text == "*"
                    && word.sure == Certainty::Start
                    && !word.may_be_option()
            }
        }
    }

    fn is_option(&self) -> bool {
        self.text.starts_with('-') && self.text.len() > 1
    }

    fn sets(&self) -> bool {
        self.text.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|found| found.is_ascii_alphanumeric() || found == '_')
        })
    }

    fn holds(&self, wanted: char) -> bool {
        self.text.contains(wanted)
    }
}

fn pieces(text: &str) -> Result<Vec<Piece>, &'static str> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (piece, after) = piece(rest)?;
        found.push(piece);
        rest = after.trim_start();
    }
    Ok(found)
}

fn piece(text: &str) -> Result<(Piece, &str), &'static str> {
    let mut parts = vec![String::new()];
    let mut whole = String::new();
    let mut quote = None;
    let mut chars = text.char_indices();
    let mut end = text.len();
    while let Some((at, found)) = chars.next() {
        let literal = match (found, quote) {
            ('\'' | '"', None) => {
                quote = Some(found);
                continue;
            }
            (_, Some(open)) if found == open => {
                quote = None;
                continue;
            }
            ('\\', None | Some('"')) => chars.next().map(|(_, next)| next).ok_or("it ends in a backslash")?,
            ('*', None) => {
                whole.push('*');
                parts.push(String::new());
                continue;
            }
            (';' | '|' | '&' | '<' | '>' | '`' | '(' | ')', None) => {
                return Err(
                    "it contains a shell operator; each command of a line is checked separately, so write a rule for each",
                );
            }
            (_, None) if found.is_whitespace() => {
                end = at;
                break;
            }
            _ => found,
        };
        whole.push(literal);
        if let Some(last) = parts.last_mut() {
            last.push(literal);
        }
    }
    if quote.is_some() {
        return Err("it has an unclosed quote");
    }
    let plain = (parts.len() == 1).then(|| whole.clone());
    Ok((Piece { text: whole, plain, parts }, &text[end..]))
}
