//! Lexer of keyword queries: operators, words and quoted texts.

use super::{BlockPart, Field, names};
use crate::tokens;

/// A token of a query, with its byte offset.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct QueryToken {
    pub(super) sort: TokenKind,
    pub(super) at: usize,
}

/// The type of a token of a query.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    Word(String),
    Phrase(String),
    /// A name with a colon, such as `lang:`, and the byte offset after the colon, where the value must begin.
    Field(Name, usize),
    Open,
    Close,
    And,
    Or,
    Not,
    Must,
    Never,
    /// `^` with the number after it, which weights the word before it.
    Weight(String),
    /// `~` with the number after it, which may be missing: how many letters of the word before it may differ.
    Fuzzy(String),
}

/// The meaning of a name before a colon: a filter, or the part of a block to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    Filter(Field),
    Part(BlockPart),
}

/// An error in a query, with its byte offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LexError {
    pub(super) at: usize,
    pub(super) what: String,
}

/// Splits a query into tokens. Also returns the errors; the tokens contain a repair of each, such as a closed quote.
pub(super) fn pieces(query: &str) -> (Vec<QueryToken>, Vec<LexError>) {
    let mut lexer = Lexer { query, at: 0, out: Vec::new(), wrong: Vec::new() };
    while lexer.at < query.len() {
        lexer.next();
    }
    (lexer.out, lexer.wrong)
}

struct Lexer<'q> {
    query: &'q str,
    at: usize,
    out: Vec<QueryToken>,
    wrong: Vec<LexError>,
}

impl<'q> Lexer<'q> {
    fn rest(&self) -> &'q str {
        &self.query[self.at..]
    }

    fn put(&mut self, sort: TokenKind, length: usize) {
        self.out.push(QueryToken { sort, at: self.at });
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
            '(' => self.put(TokenKind::Open, 1),
            ')' => self.put(TokenKind::Close, 1),
            '&' => self.put(TokenKind::And, if second == Some('&') { 2 } else { 1 }),
            '|' => self.put(TokenKind::Or, if second == Some('|') { 2 } else { 1 }),
            '^' | '~' if !begins => self.suffix(first),
            '+' if begins && joined && second != Some('+') => self.put(TokenKind::Must, 1),
            '-' if begins && joined && second != Some('-') && second != Some('>') => {
                self.put(TokenKind::Never, 1);
            }
            '!' if begins && joined && second != Some('=') => self.put(TokenKind::Not, 1),
            _ => self.word(),
        }
    }

    /// Returns whether the current position is not inside a word: it is at the start of the query, or follows white
    /// space or one of `(+-!|&:`.
    fn begins(&self) -> bool {
        let before = self.query[..self.at].chars().next_back();
        before.is_none_or(|before| before.is_whitespace() || "(+-!|&:".contains(before))
    }

    /// Returns whether the quote at the current position is closed later at the end of a word; an apostrophe is not.
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
            self.wrong.push(LexError { at: from, what: format!("the quote {quote} is not closed") });
        }
        let length = end.unwrap_or(self.rest().len());
        self.put(TokenKind::Phrase(text), length);
    }

    fn suffix(&mut self, sign: char) {
        let rest = &self.rest()[1..];
        let digits =
            rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(rest.len());
        let number = rest[..digits].to_owned();
        let sort = if sign == '^' { TokenKind::Weight(number) } else { TokenKind::Fuzzy(number) };
        self.put(sort, 1 + digits);
    }

    fn word(&mut self) {
        let text = self.run();
        if let Some(length) = self.field(text) {
            self.at += length;
            return;
        }
        let sort = match text {
            "AND" => TokenKind::And,
            "OR" => TokenKind::Or,
            "NOT" => TokenKind::Not,
            // Text without letters, digits or `*` is ignored.
            text if !text.contains(|letter| tokens::is_word(letter) || letter == '*') => {
                self.at += text.len();
                return;
            }
            text => TokenKind::Word(text.to_owned()),
        };
        self.put(sort, text.len());
    }

    /// Returns the characters of the word at the current position. The brackets of a call, as in `run(x)`, are part of
    /// the word.
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
            // A known name with a colon, such as `lang:`, ends here: its value is a separate token.
            if letter == ':' && named(&rest[..end - 1]).is_some() && !rest[end..].starts_with(':') {
                break;
            }
        }
        &rest[..end]
    }

    /// Reads a name with a colon, known or unknown, at the start of a word, and adds its token. Returns the length of
    /// the text that the token covers; `None` if the word is not of this form.
    fn field(&mut self, text: &str) -> Option<usize> {
        let (name, value) = text.split_once(':')?;
        let plain =
            !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphabetic() || letter == '_');
        if !plain || value.starts_with(':') || value.starts_with("//") || value.starts_with('\\') {
            return None;
        }
        if let Some(known) = named(name) {
            self.out
                .push(QueryToken { sort: TokenKind::Field(known, self.at + name.len() + 1), at: self.at });
            return Some(name.len() + 1);
        }
        let quote = self.rest()[text.len()..].starts_with(['"', '(']);
        if value.is_empty() && !quote {
            return None;
        }
        let near = toolpost_text::names::suggest(name, &names(), 1);
        let known = match near.first() {
            Some(near) => format!("did you mean `{near}:`?"),
            None => format!("use one of {}:", names().join(":, ")),
        };
        self.wrong.push(LexError { at: self.at, what: format!("{name}: is not a filter; {known}") });
        match near.first().and_then(|near| named(near)) {
            Some(known) => {
                self.out.push(QueryToken {
                    sort: TokenKind::Field(known, self.at + name.len() + 1),
                    at: self.at,
                });
                Some(name.len() + 1)
            }
            None => {
                self.out.push(QueryToken { sort: TokenKind::Phrase(text.to_owned()), at: self.at });
                Some(text.len())
            }
        }
    }
}

/// Returns the filter or the part of a block that a name before a colon denotes.
fn named(name: &str) -> Option<Name> {
    Field::named(name).map(Name::Filter).or_else(|| BlockPart::named(name).map(Name::Part))
}

/// Returns the length of the brackets at the start of `text`, which follow a name, as in `run(x)`. `None` if they
/// contain a double quote or a query operator, or are not closed.
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

/// Returns whether a word ends after a `~` and its digits, so that they are an edit distance; `rest` follows the `~`.
fn ends(rest: &str) -> bool {
    let rest = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
    rest.chars().next().is_none_or(|next| next.is_whitespace() || next == ')')
}
