//! Changes to a symbol that is found by its name: replacement, removal, and insertion of code before or after it.

mod extent;
mod header;
mod indentation;
mod insertion;
mod lead;
mod new_code;
mod removal;

use toolpost_text::encoding::{Indent, Splice};
use toolpost_text::line_edit::EditPosition;
use toolpost_text::lines::{self, LineIndex};

use crate::{Language, ParseError, Resolution, Symbol, Tree, find};

use lead::LeadOffsets;

/// A computed change to a symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolEdit {
    /// The changes to the text.
    pub splice: Splice,
    /// Notes about kept or added text, and about a new syntax error.
    pub notes: Vec<String>,
}

/// A reason why a symbol cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SymbolError {
    /// The file cannot be parsed.
    #[error("the file cannot be parsed, because {0}")]
    Unread(ParseError),
    /// No symbol has the name.
    #[error("the file has no symbol {name}")]
    None {
        /// The requested name.
        name: String,
        /// The symbols with similar names.
        like: Vec<NamedSymbol>,
        /// The first symbols of the file.
        all: Vec<NamedSymbol>,
        /// The number of symbols in the file.
        total: usize,
    },
    /// Several symbols have the name.
    #[error("{} symbols have the name {name}", all.len())]
    Several {
        /// The requested name.
        name: String,
        /// The symbols with the name.
        all: Vec<NamedSymbol>,
    },
    /// The statement that defines the symbol also defines another symbol, as in `let a = 1, b = 2`.
    #[error("{name} and {other} are defined in one statement")]
    Shared {
        /// The qualified name of the symbol.
        name: String,
        /// Another name that the statement defines.
        other: String,
    },
    /// Other code is on the first or the last line of the symbol.
    #[error("{name} shares line {line} with other code")]
    Crowded {
        /// The qualified name of the symbol.
        name: String,
        /// The line of the file, counted from 1.
        line: usize,
    },
    /// A line of the new code is a placeholder for omitted code.
    #[error("line {line} of the new code, {part:?}, is a placeholder for omitted code")]
    Elided {
        /// The line of the new code, counted from 1.
        line: usize,
        /// The text of the line.
        part: String,
    },
    /// The new code is empty, so it cannot be inserted.
    #[error("the new code is empty, so there is nothing to insert next to {name}")]
    Nothing {
        /// The qualified name of the symbol.
        name: String,
    },
}

/// A symbol by its name and its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedSymbol {
    /// The kind and the qualified name, such as `function A.b`.
    pub words: String,
    /// The qualified name that a request can pass; with `~2` for the second symbol of this name.
    pub name: String,
    /// The first line, counted from 1.
    pub first: usize,
    /// The last line, inclusive.
    pub last: usize,
}

/// Maximum number of symbols listed when none matches.
const NAMED: usize = 40;

/// Computes a change to one symbol in a text: its replacement by the code `new`, or the insertion of that code
/// before or after it. A symbol that is replaced by empty code is removed.
///
/// The comments and decorators of the symbol stay, unless the new code has its own. The new code is indented
/// like the symbol.
///
/// # Errors
///
/// If the text cannot be parsed, the name matches no symbol or several, the new code has a placeholder for
/// omitted code, empty code must be inserted, or the change would split other code.
pub fn change(
    language: Language,
    text: &str,
    name: &str,
    side: EditPosition,
    new: &str,
) -> Result<SymbolEdit, SymbolError> {
    let tree = language.parse(text).map_err(SymbolError::Unread)?;
    let mut symbols = tree.symbols();
    let at = meant(text, &symbols, name)?;
    widen(text, &mut symbols[at], new);
    let end = extent::of(&tree, &mut symbols[at]);
    let place = ChangedSymbol { language, text, symbols: &symbols, at, end };
    let new = new_code::code(language, new, &text[place.symbol().span.clone()])?;
    let mut edited = match (side, new.is_empty()) {
        (EditPosition::Replace, true) => removal::of(&place)?,
        (EditPosition::Replace, false) => place.replaced(&new)?,
        (EditPosition::Before | EditPosition::After, true) => {
            return Err(SymbolError::Nothing { name: place.symbol().qualified.clone() });
        }
        (EditPosition::Before | EditPosition::After, false) => insertion::put(&place, side, &new)?,
    };
    edited.notes.extend(broken(&tree, &edited.splice));
    Ok(edited)
}

/// Describes symbols by their names and lines.
#[must_use]
pub fn named(text: &str, symbols: &[Symbol], which: &[usize]) -> Vec<NamedSymbol> {
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
        NamedSymbol { words: format!("{} {name}", symbol.kind.name()), name, first, last }
    };
    which.iter().map(describe).collect()
}

/// Describes the first symbols of a file, for a message that lists them.
#[must_use]
pub fn first_named(text: &str, symbols: &[Symbol]) -> Vec<NamedSymbol> {
    let first: Vec<usize> = (0..symbols.len().min(NAMED)).collect();
    named(text, symbols, &first)
}

/// Resolves a name to the index of one symbol.
fn meant(text: &str, symbols: &[Symbol], name: &str) -> Result<usize, SymbolError> {
    let said = name.trim().to_owned();
    match find(symbols, name) {
        Resolution::One(at) => Ok(at),
        Resolution::Several(all) => Err(SymbolError::Several { name: said, all: named(text, symbols, &all) }),
        Resolution::None(like) => {
            let (like, all) = (named(text, symbols, &like), first_named(text, symbols));
            Err(SymbolError::None { name: said, like, all, total: symbols.len() })
        }
    }
}

/// Extends a symbol to the words before it on its line if the new code repeats them, such as `private` before
/// a Ruby method.
fn widen(text: &str, symbol: &mut Symbol, new: &str) {
    let line = text[..symbol.span.start].rfind('\n').map_or(0, |at| at + 1);
    let first = line + lines::indent(&text[line..symbol.span.start]).len();
    let words = text[first..symbol.span.start].trim_end();
    let again = |line: &str| {
        let rest = line.trim_start().strip_prefix(words);
        rest.is_some_and(|rest| rest.starts_with(char::is_whitespace))
    };
    if symbol.span.start == symbol.signature.start && !words.is_empty() && new.lines().any(again) {
        (symbol.span.start, symbol.signature.start) = (first, first);
    }
}

/// Returns a note if the file had no syntax error before the change and has one after it.
fn broken(tree: &Tree<'_>, splice: &Splice) -> Option<String> {
    if !tree.is_whole() {
        return None;
    }
    let text = tree.text();
    let after = format!("{}{}{}", &text[..splice.range.start], splice.new, &text[splice.range.end..]);
    let now = tree.language().parse(&after).ok()?;
    let at = now.errors().first()?.start;
    Some(format!(
        "the file now has a syntax error, at line {}; before the change it had none",
        lines::number(&after, at)
    ))
}

/// The symbol that is changed, in its text.
struct ChangedSymbol<'a> {
    language: Language,
    text: &'a str,
    symbols: &'a [Symbol],
    at: usize,
    /// The end of the symbol's code: before a comma, and before a trailing comment unless that belongs to the body.
    end: usize,
}

impl ChangedSymbol<'_> {
    fn symbol(&self) -> &Symbol {
        &self.symbols[self.at]
    }

    /// Returns the start of the line around an offset.
    fn line_start(&self, offset: usize) -> usize {
        self.text[..offset].rfind('\n').map_or(0, |at| at + 1)
    }

    /// Returns the end of the line around an offset.
    fn line_end(&self, offset: usize) -> usize {
        self.text[offset..].find('\n').map_or(self.text.len(), |at| offset + at)
    }

    /// Returns the indentation of the symbol's first line.
    fn indent(&self) -> &str {
        lines::indent(&self.text[self.line_start(self.symbol().span.start)..])
    }

    /// Returns whether only white space, commas and semicolons follow the symbol on the symbol's last line. A
    /// comment of the symbol is part of the symbol's span.
    fn is_last_on_line(&self) -> bool {
        let end = self.symbol().span.end;
        self.text[end..self.line_end(end)].trim_start_matches([',', ';']).trim().is_empty()
    }

    fn style(&self) -> Indent {
        Indent::of(self.text)
    }

    /// Refuses a symbol if its statement also defines another symbol.
    fn alone(&self) -> Result<(), SymbolError> {
        let own = self.symbol();
        let shared = |(at, other): &(usize, &Symbol)| {
            *at != self.at && other.signature.start == own.signature.start && other.parent == own.parent
        };
        match self.symbols.iter().enumerate().find(shared) {
            None => Ok(()),
            Some((_, other)) => {
                Err(SymbolError::Shared { name: own.qualified.clone(), other: other.qualified.clone() })
            }
        }
    }

    /// Replaces the symbol with code.
    fn replaced(&self, new: &str) -> Result<SymbolEdit, SymbolError> {
        self.alone()?;
        let symbol = self.symbol();
        let own = LeadOffsets::of_symbol(symbol);
        let kept = lead::kept(self.language, self.text, &own, new);
        let (mut new, mut notes) = (kept.new, kept.notes);
        let export = exported(&self.text[own.head..]);
        if let Some(words) = export.filter(|_| !exports(&new)) {
            let at = kept.head + new[kept.head..].len() - new[kept.head..].trim_start().len();
            new.insert_str(at, words);
            notes.push(format!("kept `{}`", words.trim_end()));
        }
        let mut new = indentation::like(self.language, &new, self.indent(), self.style());
        let behind = &self.text[self.end..];
        if let Some(sign) = new.chars().last().filter(|sign| matches!(sign, ';' | ','))
            && behind.starts_with(sign)
        {
            new.pop();
        }
        Ok(SymbolEdit { splice: Splice { range: kept.start..self.end, new }, notes })
    }
}

/// Returns the export keywords at the start of a definition.
fn exported(head: &str) -> Option<&'static str> {
    ["export default ", "export "].into_iter().find(|words| head.starts_with(words))
}

/// Returns whether new code has export keywords itself.
fn exports(new: &str) -> bool {
    let to = lines::indent(new);
    new.lines().any(|line| {
        line.strip_prefix(to).is_some_and(|line| line.starts_with("export ") || line.starts_with("export{"))
    })
}
