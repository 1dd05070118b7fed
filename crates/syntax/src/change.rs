//! Changes a symbol by its name: puts code in its place, before it or behind it.

mod extent;
mod header;
mod indentation;
mod insertion;
mod lead;
mod new_code;
mod removal;

use toolpost_text::encoding::{Indent, Splice};
use toolpost_text::line_edit::Side;
use toolpost_text::lines::{self, LineIndex};

use crate::{Language, ParseError, Resolution, Symbol, Tree, find};

use lead::Lead;

/// A change of a symbol, worked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolEdit {
    /// The changes to the text.
    pub splice: Splice,
    /// Kept or added lines, and new errors in the file.
    pub notes: Vec<String>,
}

/// A reason for which a symbol cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SymbolError {
    /// The file cannot be parsed.
    #[error("it cannot be parsed: {0}")]
    Unread(ParseError),
    /// Nothing has the name; these are like it, or else the first of all.
    #[error("it has no symbol {name}")]
    None {
        /// The name.
        name: String,
        /// Symbols with names like it.
        like: Vec<NamedSymbol>,
        /// The definition, or its beginning.
        all: Vec<NamedSymbol>,
    },
    /// Several have the name.
    #[error("{} symbols are named {name}", all.len())]
    Several {
        /// The name.
        name: String,
        /// These.
        all: Vec<NamedSymbol>,
    },
    /// One statement defines more than it.
    #[error("{name} is defined in one statement with {other}")]
    Shared {
        /// The name.
        name: String,
        /// The name of what else it defines.
        other: String,
    },
    /// Other code is on the line.
    #[error("{name} shares line {line} with other code")]
    Crowded {
        /// The name.
        name: String,
        /// The line.
        line: usize,
    },
    /// A line of the new code is a placeholder for omitted code.
    #[error("line {line} of the new code, {part:?}, is a placeholder for omitted code")]
    Elided {
        /// The line, counted from 1.
        line: usize,
        /// The text of the line.
        part: String,
    },
    /// The new code is empty.
    #[error("the new code is empty: nothing to insert next to {name}")]
    Nothing {
        /// The name.
        name: String,
    },
}

/// A symbol by its name and its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedSymbol {
    /// Its kind and its qualified name.
    pub words: String,
    /// Its name alone, as it can be asked for.
    pub name: String,
    /// The first of its lines, counted from 1.
    pub first: usize,
    /// The last of them.
    pub last: usize,
}

/// Maximum number of symbols listed when none matches.
const NAMED: usize = 40;

/// Works out the change of a symbol of a text; nothing in its place takes it out.
///
/// Its comments and decorators stay unless the new code brings its own, and the new code is indented like it.
///
/// # Errors
///
/// When the name means no symbol or several, or when other code would be torn.
pub fn change(
    language: Language,
    text: &str,
    name: &str,
    side: Side,
    new: &str,
) -> Result<SymbolEdit, SymbolError> {
    let tree = language.parse(text).map_err(SymbolError::Unread)?;
    let mut symbols = tree.symbols();
    let at = meant(text, &symbols, name)?;
    widen(text, &mut symbols[at], new);
    let end = extent::of(&tree, &mut symbols[at]);
    let place = Place { language, text, symbols: &symbols, at, end };
    let new = new_code::code(language, new, &text[place.symbol().span.clone()])?;
    let mut edited = match (side, new.is_empty()) {
        (Side::Replace, true) => removal::of(&place)?,
        (Side::Replace, false) => place.replaced(&new)?,
        (Side::Before | Side::After, true) => {
            return Err(SymbolError::Nothing { name: place.symbol().qualified.clone() });
        }
        (Side::Before | Side::After, false) => insertion::put(&place, side, &new)?,
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

/// Finds the symbol that a name means.
fn meant(text: &str, symbols: &[Symbol], name: &str) -> Result<usize, SymbolError> {
    let said = name.trim().to_owned();
    match find(symbols, name) {
        Resolution::One(at) => Ok(at),
        Resolution::Several(all) => Err(SymbolError::Several { name: said, all: named(text, symbols, &all) }),
        Resolution::None(like) => {
            let all: Vec<usize> = (0..symbols.len().min(NAMED)).collect();
            let (like, all) = (named(text, symbols, &like), named(text, symbols, &all));
            Err(SymbolError::None { name: said, like, all })
        }
    }
}

/// Includes the words before a symbol on its line if new code brings them, too, as `private` before a method of Ruby.
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

/// Adds a note if the file was free of syntax errors and no longer is.
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
    /// End of its own code, before a comma and a comment behind it.
    end: usize,
}

impl Place<'_> {
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

    /// Returns the white space before the symbol.
    fn indent(&self) -> &str {
        lines::indent(&self.text[self.line_start(self.symbol().span.start)..])
    }

    /// Returns whether only a comma and the symbol's own comment follow on its line.
    fn is_last_on_line(&self) -> bool {
        let end = self.symbol().span.end;
        self.text[end..self.line_end(end)].trim_start_matches([',', ';']).trim().is_empty()
    }

    fn style(&self) -> Indent {
        Indent::of(self.text)
    }

    /// Refuses a symbol that one statement defines together with another.
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

    /// Puts code in the place of the symbol.
    fn replaced(&self, new: &str) -> Result<SymbolEdit, SymbolError> {
        self.alone()?;
        let symbol = self.symbol();
        let own = Lead::of_symbol(symbol);
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

/// Returns the export keywords of a module.
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
