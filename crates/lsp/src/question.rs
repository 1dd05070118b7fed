//! Questions to a server, and their answers.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::{CodeLocation, DocumentSymbol, Position, answers, uri};

/// A question about a file that is open in the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// The definition of the symbol at a position.
    Definition(PathBuf, Position),
    /// The implementations of the symbol: the methods that implement a trait's method, or the classes that implement
    /// an interface.
    Implementation(PathBuf, Position),
    /// The uses of the symbol at a position, and its definition.
    References(PathBuf, Position),
    /// The hover text of the symbol at a position.
    Hover(PathBuf, Position),
    /// The symbols of the file.
    Symbols(PathBuf),
}

/// An answer of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LspAnswer {
    /// Locations, for definitions, implementations and references.
    Places(Vec<CodeLocation>),
    /// The hover text, often in Markdown; `None` if there is none.
    Text(Option<String>),
    /// The symbols of a file, each before its members.
    Symbols(Vec<DocumentSymbol>),
}

impl Question {
    /// Returns the method's name in the protocol.
    #[must_use]
    pub fn method(&self) -> &'static str {
        match self {
            Self::Definition(..) => "textDocument/definition",
            Self::Implementation(..) => "textDocument/implementation",
            Self::References(..) => "textDocument/references",
            Self::Hover(..) => "textDocument/hover",
            Self::Symbols(..) => "textDocument/documentSymbol",
        }
    }

    /// Returns the name of the server capability that the question requires.
    pub(crate) fn promise(&self) -> &'static str {
        match self {
            Self::Definition(..) => "definitionProvider",
            Self::Implementation(..) => "implementationProvider",
            Self::References(..) => "referencesProvider",
            Self::Hover(..) => "hoverProvider",
            Self::Symbols(..) => "documentSymbolProvider",
        }
    }

    pub(crate) fn params(&self) -> Value {
        let (Self::Definition(path, _)
        | Self::Implementation(path, _)
        | Self::References(path, _)
        | Self::Hover(path, _)
        | Self::Symbols(path)) = self;
        let document = json!({ "uri": uri::of_path(path) });
        match self {
            Self::Symbols(_) => json!({ "textDocument": document }),
            Self::Definition(_, at) | Self::Implementation(_, at) | Self::Hover(_, at) => spot(path, *at),
            Self::References(_, at) => json!({
                "textDocument": document,
                "position": position(*at),
                "context": { "includeDeclaration": true },
            }),
        }
    }

    /// Parses the answer; returns a description of the problem if it is not valid.
    pub(crate) fn read(&self, answer: &Value) -> Result<LspAnswer, String> {
        match self {
            Self::Definition(..) | Self::Implementation(..) | Self::References(..) => {
                answers::places(answer).map(LspAnswer::Places)
            }
            Self::Hover(..) => answers::text(answer).map(LspAnswer::Text),
            Self::Symbols(..) => answers::symbols(answer).map(LspAnswer::Symbols),
        }
    }
}

/// Builds the protocol's parameters for a position in a file.
pub(crate) fn spot(path: &Path, at: Position) -> Value {
    json!({ "textDocument": { "uri": uri::of_path(path) }, "position": position(at) })
}

fn position(at: Position) -> Value {
    json!({ "line": at.line, "character": at.character })
}
