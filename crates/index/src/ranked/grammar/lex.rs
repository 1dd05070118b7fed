//! Signs, words and texts in quotes of a query.

use super::{Field, Part, names};
use crate::ranked::tokens;

/// A piece of a query, and where it begins in its bytes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece {
    pub(super) sort: Sort,
    pub(super) at: usize,
}

/// The type of a token.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Sort {
    Word(String),
    Phrase(String),
    /// A name with a colon, and the end of that; a value must follow immediately.
    Field(Name, usize),
    Open,
    Close,
    And,
    Or,
    Not,
    Must,
    Never,
    /// `^` with what follows it.
    Weight(String),
    /// `~` with what follows it.
    Fuzzy(String),
}

/// The name before a colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    Filter(Field),
    Part(Part),
}

/// Something that is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wrong {
    pub(super) at: usize,
    pub(super) what: String,
}

/// Splits a query into tokens and repairs errors where possible.
pub(super) fn pieces(query: &str) -> (Vec<Piece>, Vec<Wrong>) {
    let mut lexer = Lexer { query, at: 0, out: Vec::new(), wrong: Vec::new() };
    while lexer.at < query.len() {
        lexer.next();
    }
    (lexer.out, lexer.wrong)
}

struct Lexer<'q> {
    query: &'q str,
    at: usize,
    out: Vec<Piece>,
    wrong: Vec<Wrong>,
}

impl<'q> Lexer<'q> {
    fn rest(&self) -> &'q str {
        &self.query[self.at..]
    }

    fn put(&mut self, sort: Sort, length: usize) {
        self.out.push(Piece { sort, at: self.at });
        self.at += length;
    }

    fn next(&mut self) {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return };
        let begins = self.begins();
        let second = rest[first.len_utf8()..].chars().next();
        let joined = second.is_some_and(|next| !next.is_whitespace() && next != ')');
        match first {
            _ if first.is_whitespace() => self.at += first.len_utf8(),
            '"' | '“' | '”' => self.quoted(first),
            '\'' | '`' if begins && self.closes(first) => self.quoted(first),
            '(' => self.put(Sort::Open, 1),
            ')' => self.put(Sort::Close, 1),
            '&' => self.put(Sort::And, if second == Some('&') { 2 } else { 1 }),
            '|' => self.put(Sort::Or, if second == Some('|') { 2 } else { 1 }),
            '^' | '~' if !begins => self.suffix(first),
            '+' if begins && joined && second != Some('+') => self.put(Sort::Must, 1),
            '-' if begins && joined && second != Some('-') && second != Some('>') => self.put(Sort::Never, 1),
            '!' if begins && joined && second != Some('=') => self.put(Sort::Not, 1),
            _ => self.word(),
        }
    }

    /// Returns whether a token starts here: there is no word immediately before it.
    fn begins(&self) -> bool {
        let before = self.query[..self.at].chars().next_back();
        before.is_none_or(|before| before.is_whitespace() || "(+-!|&:".contains(before))
    }

    /// Returns whether a quote that opens here also closes at the end of a word.
    fn closes(&self, quote: char) -> bool {
        let inside = &self.rest()[1..];
        inside.match_indices(quote).any(|(at, _)| {
            let next = inside[at + 1..].chars().next();
            at > 0 && next.is_none_or(|next| next.is_whitespace() || ")^~".contains(next))
        })
    }

    fn quoted(&mut self, quote: char) {
        let from = self.at;
        let is_end = |letter: char| match quote {
            '“' | '”' => matches!(letter, '“' | '”' | '"'),
            own => letter == own,
        };
        let mut text = String::new();
        let mut letters = self.rest().char_indices().skip(1).peekable();
        let mut end = None;
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\\' if letters.peek().is_some_and(|(_, next)| is_end(*next) || *next == '\\') => {
                    text.extend(letters.next().map(|(_, next)| next));
                }
                letter if is_end(letter) => {
                    end = Some(at + letter.len_utf8());
                    break;
                }
                letter => text.push(letter),
            }
        }
        if end.is_none() {
            self.wrong.push(Wrong { at: from, what: format!("the quote {quote} is not closed") });
        }
        let length = end.unwrap_or(self.rest().len());
        self.put(Sort::Phrase(text), length);
    }

    fn suffix(&mut self, sign: char) {
        let rest = &self.rest()[1..];
        let digits =
            rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(rest.len());
        let number = rest[..digits].to_owned();
        let sort = if sign == '^' { Sort::Weight(number) } else { Sort::Fuzzy(number) };
        self.put(sort, 1 + digits);
    }

    fn word(&mut self) {
        let text = self.run();
        if let Some(length) = self.field(text) {
            self.at += length;
            return;
        }
        let sort = match text {
            "AND" => Sort::And,
            "OR" => Sort::Or,
            "NOT" => Sort::Not,
            // Text without letters, digits or wildcards has no effect.
            text if !text.contains(|letter| tokens::is_word(letter) || letter == '*') => {
                self.at += text.len();
                return;
            }
            text => Sort::Word(text.to_owned()),
        };
        self.put(sort, text.len());
    }

    /// Finds the characters that belong to one word; the brackets of a call belong to it.
    fn run(&self) -> &'q str {
        let rest = self.rest();
        let mut end = 0;
        while let Some(letter) = rest[end..].chars().next() {
            let inside = end > 0;
            match letter {
                _ if letter.is_whitespace() => break,
                ')' | '"' | '“' | '”' | '|' => break,
                '&' if rest[end..].starts_with("&&") => break,
                '(' if inside && !rest[..end].ends_with(':') => match call(&rest[end..]) {
                    Some(length) => {
                        end += length;
                        continue;
                    }
                    None => break,
                },
                '(' => break,
                '^' if inside && rest[end + 1..].starts_with(|next: char| next.is_ascii_digit()) => break,
                '~' if inside && ends(&rest[end + 1..]) => break,
                _ => {}
            }
            end += letter.len_utf8();
            // The value after the colon of a filter is a separate token.
            if letter == ':' && named(&rest[..end - 1]).is_some() && !rest[end..].starts_with(':') {
                break;
            }
        }
        &rest[..end]
    }

    /// Reads a name with a colon, known or unknown, at the start of a text; returns its length.
    fn field(&mut self, text: &str) -> Option<usize> {
        let (name, value) = text.split_once(':')?;
        let plain =
            !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphabetic() || letter == '_');
        if !plain || value.starts_with(':') || value.starts_with("//") || value.starts_with('\\') {
            return None;
        }
        if let Some(known) = named(name) {
            self.out.push(Piece { sort: Sort::Field(known, self.at + name.len() + 1), at: self.at });
            return Some(name.len() + 1);
        }
        let quote = self.rest()[text.len()..].starts_with(['"', '(']);
        if value.is_empty() && !quote {
            return None;
        }
        let near = toolpost_text::names::suggest(name, &names(), 1);
        let known = match near.first() {
            Some(near) => format!("did you mean {near}:?"),
            None => format!("known are {}:", names().join(":, ")),
        };
        self.wrong.push(Wrong { at: self.at, what: format!("{name}: is no filter; {known}") });
        match near.first().and_then(|near| named(near)) {
            Some(known) => {
                self.out.push(Piece { sort: Sort::Field(known, self.at + name.len() + 1), at: self.at });
                Some(name.len() + 1)
            }
            None => {
                self.out.push(Piece { sort: Sort::Phrase(text.to_owned()), at: self.at });
                Some(text.len())
            }
        }
    }
}

/// Returns the meaning of a name before a colon.
fn named(name: &str) -> Option<Name> {
    Field::named(name).map(Name::Filter).or_else(|| Part::named(name).map(Name::Part))
}

/// Returns the length of the brackets of a call, which follow a name immediately and contain no query.
fn call(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            '"' => return None,
            _ => {}
        }
        if depth == 0 {
            let inside = &text[..at];
            let query = [" AND ", " OR ", "NOT "].iter().any(|word| inside.contains(word));
            return (!query).then_some(at + 1);
        }
    }
    None
}

/// Returns whether a word ends after the tilde.
fn ends(rest: &str) -> bool {
    let rest = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
    rest.chars().next().is_none_or(|next| next.is_whitespace() || next == ')')
}
