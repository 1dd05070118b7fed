//! Changes a symbol by its name: puts code in its place, before it or behind it.

mod beside;
mod indented;
mod lead;

use std::ops::Range;

use toolpost_text::encoding::{Indent, Splice};
use toolpost_text::line_edit::Side;
use toolpost_text::lines::{self, LineIndex};
use toolpost_text::merge;

use crate::{Language, Meant, Symbol, Tree, Unread, find};

use lead::Lead;

/// A change of a symbol, worked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// What to do with the text.
    pub splice: Splice,
    /// What was kept or added beside the new code, and what is wrong with the file now.
    pub notes: Vec<String>,
}

/// Why a symbol cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoSymbol {
    /// The file cannot be parsed.
    #[error("it cannot be parsed: {0}")]
    Unread(Unread),
    /// Nothing has the name; these are like it, or else the first of all.
    #[error("nothing in it is called {name}")]
    None {
        /// The name.
        name: String,
        /// Symbols with names like it.
        like: Vec<Named>,
        /// What it defines, or the beginning of that.
        all: Vec<Named>,
    },
    /// Several have the name.
    #[error("{} symbols in it are called {name}", all.len())]
    Several {
        /// The name.
        name: String,
        /// These.
        all: Vec<Named>,
    },
    /// One statement defines more than it.
    #[error("{name} is defined in one statement with {other}")]
    Shared {
        /// The name.
        name: String,
        /// The name of what else it defines.
        other: String,
    },
    /// Other code stands on the line.
    #[error("{name} stands on line {line} together with other code")]
    Crowded {
        /// The name.
        name: String,
        /// The line.
        line: usize,
    },
    /// There is no code to put there.
    #[error("there is no code to put beside {name}")]
    Nothing {
        /// The name.
        name: String,
    },
}

/// A symbol by its name and its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Its kind and its name, behind those of what it belongs to.
    pub words: String,
    /// Its name alone, as it can be asked for.
    pub name: String,
    /// The first of its lines, counted from 1.
    pub first: usize,
    /// The last of them.
    pub last: usize,
}

/// How many symbols are named where none is meant.
const NAMED: usize = 40;

/// Works out the change of a symbol of a text; nothing in its place takes it out.
///
/// Its comments and decorators stay where the new code brings none of its own, and the new code is indented like it.
///
/// # Errors
///
/// When the name means no symbol or several, or when other code would be torn.
pub fn change(language: Language, text: &str, name: &str, side: Side, new: &str) -> Result<Edited, NoSymbol> {
    let tree = language.parse(text).map_err(NoSymbol::Unread)?;
    let mut symbols = tree.symbols();
    let at = meant(text, &symbols, name)?;
    let (own, comments) = (symbols[at].span.start, commented(&tree, symbols[at].span.start));
    if comments < own {
        symbols[at].span.start = comments;
        symbols[at].docs = Some(comments..own);
    }
    let place = Place { language, text, symbols: &symbols, at };
    let snippet: Vec<merge::Line> = merge::snippet(new);
    let full = |line: &&merge::Line| line.marker.is_some() || !line.is_blank();
    let begins = snippet.iter().position(|line| full(&line)).unwrap_or(snippet.len());
    let ends = snippet.iter().rposition(|line| full(&line)).map_or(begins, |at| at + 1);
    let new = snippet[begins..ends].iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n");
    let mut edited = match (side, new.is_empty()) {
        (Side::Replace, true) => place.removed(),
        (Side::Replace, false) => place.replaced(&new)?,
        (Side::Before | Side::After, true) => {
            return Err(NoSymbol::Nothing { name: place.symbol().qualified.clone() });
        }
        (Side::Before | Side::After, false) => beside::put(&place, side, &new)?,
    };
    edited.notes.extend(broken(&tree, &edited.splice));
    Ok(edited)
}

/// Describes symbols by their names and lines.
#[must_use]
pub fn named(text: &str, symbols: &[Symbol], which: &[usize]) -> Vec<Named> {
    let index = LineIndex::new(text);
    let same = |at: usize| {
        let other = |other: &&Symbol| other.qualified == symbols[at].qualified;
        (symbols[..at].iter().filter(other).count(), symbols.iter().filter(other).count())
    };
    let describe = |at: &usize| {
        let symbol = &symbols[*at];
        let name = match same(*at) {
            (_, 1) => symbol.qualified.clone(),
            (before, _) => format!("{}~{}", symbol.qualified, before + 1),
        };
        let (first, last) =
            (index.line(symbol.span.start), index.line(symbol.span.end.max(symbol.span.start + 1) - 1));
        Named { words: format!("{} {name}", symbol.kind.name()), name, first, last }
    };
    which.iter().map(describe).collect()
}

/// Finds the symbol that a name means.
fn meant(text: &str, symbols: &[Symbol], name: &str) -> Result<usize, NoSymbol> {
    let said = name.trim().to_owned();
    match find(symbols, name) {
        Meant::One(at) => Ok(at),
        Meant::Several(all) => Err(NoSymbol::Several { name: said, all: named(text, symbols, &all) }),
        Meant::None(like) => {
            let all: Vec<usize> = (0..symbols.len().min(NAMED)).collect();
            let (like, all) = (named(text, symbols, &like), named(text, symbols, &all));
            Err(NoSymbol::None { name: said, like, all })
        }
    }
}

/// Says so where a file that could be parsed no longer can.
fn broken(tree: &Tree<'_>, splice: &Splice) -> Option<String> {
    if !tree.is_whole() {
        return None;
    }
    let text = tree.text();
    let after = format!("{}{}{}", &text[..splice.range.start], splice.new, &text[splice.range.end..]);
    let now = tree.language().parse(&after).ok()?;
    let at = now.errors().first()?.start;
    Some(format!(
        "the file has a syntax error now, at line {}; it had none before",
        lines::number(&after, at)
    ))
}

/// The symbol that is changed, in its text.
struct Place<'a> {
    language: Language,
    text: &'a str,
    symbols: &'a [Symbol],
    at: usize,
}

impl Place<'_> {
    fn symbol(&self) -> &Symbol {
        &self.symbols[self.at]
    }

    /// Gives where the line of an offset begins.
    fn line_start(&self, offset: usize) -> usize {
        self.text[..offset].rfind('\n').map_or(0, |at| at + 1)
    }

    /// Gives where the line of an offset ends.
    fn line_end(&self, offset: usize) -> usize {
        self.text[offset..].find('\n').map_or(self.text.len(), |at| offset + at)
    }

    /// Gives the white space before the symbol.
    fn indent(&self) -> &str {
        lines::indent(&self.text[self.line_start(self.symbol().span.start)..])
    }

    fn style(&self) -> Indent {
        Indent::of(self.text)
    }

    /// Refuses a symbol that one statement defines together with another.
    fn alone(&self) -> Result<(), NoSymbol> {
        let own = self.symbol();
        let shared = |(at, other): &(usize, &Symbol)| {
            *at != self.at && other.span == own.span && other.parent == own.parent
        };
        match self.symbols.iter().enumerate().find(shared) {
            None => Ok(()),
            Some((_, other)) => {
                Err(NoSymbol::Shared { name: own.qualified.clone(), other: other.qualified.clone() })
            }
        }
    }

    /// Puts code in the place of the symbol.
    fn replaced(&self, new: &str) -> Result<Edited, NoSymbol> {
        self.alone()?;
        let symbol = self.symbol();
        let own = Lead::of_symbol(symbol);
        let (start, new, mut notes) = lead::kept(self.language, self.text, &own, new);
        let mut new = indented::like(self.language, &new, self.indent(), self.style());
        let export = exported(&self.text[own.head..]);
        if let Some(words) = export.filter(|_| start == own.head && !new.starts_with("export")) {
            new.insert_str(0, words);
            notes.push(format!("kept `{}`", words.trim_end()));
        }
        let behind = &self.text[symbol.span.end..];
        if let Some(sign) = new.chars().last().filter(|sign| matches!(sign, ';' | ','))
            && behind.starts_with(sign)
        {
            new.pop();
        }
        Ok(Edited { splice: Splice { range: start..symbol.span.end, new }, notes })
    }

    /// Takes the symbol out, with the line that it leaves empty.
    fn removed(&self) -> Edited {
        let span = &self.symbol().span;
        let (start, end) = (self.line_start(span.start), self.line_end(span.end));
        let rest = self.text[span.end..end].trim_start_matches([',', ';']);
        let own_lines = self.text[start..span.start].trim().is_empty() && rest.trim().is_empty();
        let range = if own_lines { self.with_blank_lines(start..end) } else { span.clone() };
        Edited { splice: Splice { range, new: String::new() }, notes: Vec::new() }
    }

    /// Adds to whole lines the break behind them, and the blank lines that parted them from what goes on or ends there.
    fn with_blank_lines(&self, lines: Range<usize>) -> Range<usize> {
        let end = (lines.end + 1).min(self.text.len());
        let above = &self.text[..lines.start];
        let below = &self.text[end..];
        let parted = above.is_empty() || above.ends_with("\n\n");
        if !parted {
            return lines.start..end;
        }
        let rest = below.trim_start_matches(['\n', ' ', '\t']);
        if rest.is_empty() || rest.starts_with(['}', ')', ']']) || rest.starts_with("end") {
            return above.trim_end_matches('\n').len() + usize::from(!above.is_empty())..end;
        }
        let blank = below.len() - below.trim_start_matches('\n').len();
        lines.start..end + blank
    }
}

/// Gives the words with which a module makes a symbol known to others.
fn exported(head: &str) -> Option<&'static str> {
    ["export default ", "export "].into_iter().find(|words| head.starts_with(words))
}

/// Finds where the comments begin that stand right above a symbol, also where the grammar puts them elsewhere.
fn commented(tree: &Tree<'_>, start: usize) -> usize {
    let (text, mut start) = (tree.text(), start);
    loop {
        let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let above = text[..line].trim_end_matches('\n');
        if !text[line..start].trim().is_empty() || line == 0 || above.len() + 1 != line {
            return start;
        }
        let first = above.rfind('\n').map_or(0, |at| at + 1);
        let first = first + lines::indent(&above[first..]).len();
        let node = tree.root().descendant_for_byte_range(first, above.len());
        match node.filter(|node| node.start_byte() == first && tree.language().0.is_comment(node.kind())) {
            Some(_) => start = first,
            None => return start,
        }
    }
}
