//! Symbols and positions for display, with their source lines.

use super::Asked;
use schemars::JsonSchema;
use serde::Serialize;
use std::{cell::RefCell, collections::HashMap, rc::Rc};
use toolpost_index::{At, bytes};
use toolpost_text::{cut, lines::LineIndex};

/// A symbol of the workspace.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Symbol {
    /// Its stable id: `language:path#Outer.inner(kind)`.
    pub id: String,
    /// Its unqualified name.
    pub name: String,
    /// Its name, qualified by the names of the enclosing symbols.
    pub qualified: String,
    /// Its kind.
    pub kind: String,
    /// The file.
    pub path: String,
    /// The line of its name, counted from 1.
    pub line: u32,
    /// Its first line, counted from 1, with preceding lines that belong to it.
    pub first_line: u32,
    /// Its last line.
    pub last_line: u32,
    /// Its signature, up to its body.
    pub signature: String,
}

/// The text of a file, with its lines.
type Read = Rc<(String, LineIndex)>;

/// Maximum number of characters shown of a signature and of a line.
const CHARACTERS: usize = 200;

/// Maximum size of a file whose lines are shown, in bytes.
const LONGEST: u64 = 8 * 1024 * 1024;

/// Reads files for display, each once.
pub(crate) struct Shower<'a> {
    asked: &'a Asked<'a>,
    texts: RefCell<HashMap<String, Option<Read>>>,
}

impl<'a> Shower<'a> {
    pub(crate) fn new(asked: &'a Asked<'a>) -> Self {
        Self { asked, texts: RefCell::default() }
    }

    /// Converts a symbol for display.
    pub(crate) fn symbol(&self, at: At) -> Symbol {
        let index = self.asked.index;
        let (file, symbol) = (index.file(at.file), index.symbol(at));
        let read = self.text(&file.path);
        Symbol {
            id: index.id(at),
            name: index.text(symbol.name).to_owned(),
            qualified: index.text(symbol.qualified).to_owned(),
            kind: symbol.kind.kind().name().to_owned(),
            path: file.path.to_string(),
            line: read.as_ref().map_or(symbol.lines.0, |read| {
                u32::try_from(read.1.line(symbol.at.0 as usize)).unwrap_or(u32::MAX)
            }),
            first_line: symbol.lines.0,
            last_line: symbol.lines.1,
            signature: read.map_or_else(String::new, |read| {
                one_line(read.0.get(bytes(symbol.signature)).unwrap_or_default())
            }),
        }
    }

    /// Returns the line number and the source line of a position in a file.
    pub(crate) fn place(&self, path: &str, at: u32) -> (Option<u64>, String) {
        let line = self.text(path).map(|text| text.1.line(at as usize) as u64);
        (line, self.code(path, at as usize))
    }

    /// Returns the source line of a position.
    fn code(&self, path: &str, at: usize) -> String {
        let Some(read) = self.text(path) else { return String::new() };
        let text = &read.0;
        let from = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
        let end = text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |end| at + end);
        one_line(text.get(from..end).unwrap_or_default())
    }

    /// Reads a file; `None` if it differs from the indexed content.
    fn text(&self, path: &str) -> Option<Read> {
        if let Some(known) = self.texts.borrow().get(path) {
            return known.clone();
        }
        let read = self.read(path).map(Rc::new);
        self.texts.borrow_mut().insert(path.to_owned(), read.clone());
        read
    }

    fn read(&self, path: &str) -> Option<(String, LineIndex)> {
        let place = self.asked.index.path(path).filter(|_| self.asked.may(path))?;
        let read = self.asked.code.files().workspace().read(place, LONGEST).ok()?;
        if self.asked.index.hash(path) != Some(read.hash) {
            return None;
        }
        let text = String::from_utf8(read.bytes).ok()?;
        let lines = LineIndex::new(&text);
        Some((text, lines))
    }
}

impl Symbol {
    /// Returns the approximate number of bytes that a symbol takes in an answer.
    pub(crate) fn weight(&self) -> usize {
        let words = self.id.len() + self.name.len() + self.qualified.len() + self.path.len();
        words + self.signature.len() + self.signature.matches('"').count() + 128
    }
}

/// Formats code as one line of limited length.
pub(crate) fn one_line(code: &str) -> String {
    let line = code.split_whitespace().collect::<Vec<_>>().join(" ");
    match cut::line(&line, CHARACTERS) {
        (_, 0) => line,
        (kept, _) => format!("{kept}…"),
    }
}
