//! What a server is asked, and what it answers.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::{Named, Place, Position, answers, uri};

/// What a server is asked about a file that it has been shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// Where what stands there is defined.
    Definition(PathBuf, Position),
    /// Where what stands there is implemented: the methods of a trait's method, the classes of an interface.
    Implementation(PathBuf, Position),
    /// Where what stands there is used, and defined.
    References(PathBuf, Position),
    /// What is known of what stands there.
    Hover(PathBuf, Position),
    /// What the file defines.
    Symbols(PathBuf),
}

/// What a server answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Places, to the questions for the definition, the implementations and the references.
    Places(Vec<Place>),
    /// A text, often Markdown; none where nothing is known.
    Text(Option<String>),
    /// What is defined, each before what stands in it.
    Symbols(Vec<Named>),
}

impl Question {
    /// Names it as the protocol does.
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

    /// Names what a server must have promised.
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

    /// Reads the answer; says what is odd about one that cannot be understood.
    pub(crate) fn read(&self, answer: &Value) -> Result<Answer, String> {
        match self {
            Self::Definition(..) | Self::Implementation(..) | Self::References(..) => {
                answers::places(answer).map(Answer::Places)
            }
            Self::Hover(..) => answers::text(answer).map(Answer::Text),
            Self::Symbols(..) => answers::symbols(answer).map(Answer::Symbols),
        }
    }
}

/// Names a place in a file as the protocol does.
pub(crate) fn spot(path: &Path, at: Position) -> Value {
    json!({ "textDocument": { "uri": uri::of_path(path) }, "position": position(at) })
}

fn position(at: Position) -> Value {
    json!({ "line": at.line, "character": at.character })
}
