//! Symbols and positions for replies, with their source lines.

use super::IndexContext;
use schemars::JsonSchema;
use serde::Serialize;
use std::{cell::RefCell, collections::HashMap, rc::Rc};
use toolpost_symbols::{At, bytes};
use toolpost_syntax::Kind;
use toolpost_text::{cut, lines::LineIndex};

/// A symbol of the workspace.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Symbol {
    /// The stable id: `language:path#Outer.inner(kind)`.
    pub id: String,
    /// The unqualified name.
    pub name: String,
    /// The name, qualified by the names of the enclosing symbols.
    pub qualified: String,
    /// The kind, such as `function`.
    #[schemars(with = "String")]
    pub kind: Kind,
    /// The file that defines the symbol.
    pub path: String,
    /// The line of the name, counted from 1; the first line of the definition if the file has changed since it was indexed.
    pub line: u32,
    /// The first line of the definition, counted from 1; comments and decorators before it are included.
    pub first_line: u32,
    /// The last line of the definition, counted from 1.
    pub last_line: u32,
    /// The signature, up to the body; empty if the file has changed since it was indexed.
    pub signature: String,
}

/// The text of a file, with the positions of its lines.
type FileText = Rc<(String, LineIndex)>;

/// Maximum number of characters that are shown of a signature or of a line.
const CHARACTERS: usize = 200;

/// Maximum size of a file whose lines are shown, in bytes.
const LONGEST: u64 = 8 * 1024 * 1024;

/// Reads the source lines for a reply; each file is read once.
pub(crate) struct SourceReader<'a> {
    context: &'a IndexContext<'a>,
    texts: RefCell<HashMap<String, Option<FileText>>>,
}

impl<'a> SourceReader<'a> {
    pub(crate) fn new(context: &'a IndexContext<'a>) -> Self {
        Self { context, texts: RefCell::default() }
    }

    /// Creates the description of an indexed symbol for a reply.
    pub(crate) fn symbol(&self, at: At) -> Symbol {
        let index = self.context.index;
        let (file, symbol) = (index.file(at.file), index.symbol(at));
        let read = self.text(&file.path);
        Symbol {
            id: index.id(at),
            name: index.text(symbol.name).to_owned(),
            qualified: index.text(symbol.qualified).to_owned(),
            kind: symbol.kind.kind(),
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

    /// Returns the line number and the source line at a byte offset of a file; `None` and an empty text if
    /// the file has changed since it was indexed.
    pub(crate) fn place(&self, path: &str, at: u32) -> (Option<u64>, String) {
        let line = self.text(path).map(|text| text.1.line(at as usize) as u64);
        (line, self.code(path, at as usize))
    }

    /// Returns the source line at a byte offset; empty if the file changed since it was indexed.
    fn code(&self, path: &str, at: usize) -> String {
        let Some(read) = self.text(path) else { return String::new() };
        let text = &read.0;
        let from = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
        let end = text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |end| at + end);
        one_line(text.get(from..end).unwrap_or_default())
    }

    /// Reads a file; `None` if the content differs from the indexed one, or if the file cannot or may not be
    /// read.
    fn text(&self, path: &str) -> Option<FileText> {
        if let Some(known) = self.texts.borrow().get(path) {
            return known.clone();
        }
        let read = self.read(path).map(Rc::new);
        self.texts.borrow_mut().insert(path.to_owned(), read.clone());
        read
    }

    fn read(&self, path: &str) -> Option<(String, LineIndex)> {
        let place = self.context.index.path(path).filter(|_| self.context.may(path))?;
        let read = self.context.code.files().workspace().read(place, LONGEST).ok()?;
        if self.context.index.hash(path) != Some(read.hash) {
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
