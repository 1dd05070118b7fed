//! `lsp`: definitions, references, symbols and hover information.

use crate::common::locations;
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_engine::{
    Failure,
    operations::navigate::{Base, CursorPosition, Navigate, NavigationQuery, Output, Request},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct Lsp;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    /// `symbols` lists what the file defines; the others take a position.
    #[schemars(extend(
        "x-aliases" = ["action", "method"],
        "x-enum" = ["definition", "references", "symbols", "hover"],
        "examples" = ["references"]
    ))]
    operation: String,
    #[schemars(extend("x-aliases" = ["filePath", "file_path", "path", "uri"], "examples" = ["src/main.rs"]))]
    file: String,
    /// Line of the name, counted from 0 with column and from 1 with character.
    #[schemars(range(min = 0), extend("x-aliases" = ["row"], "examples" = [10]))]
    line: Option<u32>,
    /// Character of the name, counted from 0. The nearest name on the line is used.
    #[schemars(range(min = 0), extend("x-aliases" = ["col"], "examples" = [4]))]
    column: Option<u32>,
    /// Instead of column: counted from 1, as in replies.
    #[schemars(range(min = 1), extend("examples" = [5]))]
    character: Option<u32>,
}

#[derive(Debug, Clone, Copy)]
enum Operation {
    Definition,
    References,
    Symbols,
    Hover,
}

impl Operation {
    /// Parses the name of an operation: as published, as in opencode's own tool, or as in the language server
    /// protocol.
    fn read(said: &str) -> Result<Self, Failure> {
        let letters: String = said.chars().filter(char::is_ascii_alphabetic).collect();
        let letters = letters.to_ascii_lowercase();
        match letters.strip_prefix("textdocument").unwrap_or(&letters) {
            "definition" | "gotodefinition" => Ok(Self::Definition),
            "references" | "findreferences" => Ok(Self::References),
            "symbols" | "documentsymbol" | "documentsymbols" => Ok(Self::Symbols),
            "hover" => Ok(Self::Hover),
            _ => Err(Failure::invalid(format!(
                "Unknown operation {}; use definition, references, symbols (of one file) or hover.",
                serde_json::Value::from(toolpost_text::cut::line(said, 80).0)
            ))),
        }
    }
}

impl Tool for Lsp {
    const NAME: &'static str = "lsp";
    type Op = Navigate;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        let path = at.file(&args.file)?;
        let operation = Operation::read(&args.operation)?;
        let spot = if matches!(operation, Operation::Symbols) { None } else { spot(&args)? };
        let of = |want: fn(CursorPosition) -> NavigationQuery| {
            spot.map(want).ok_or_else(|| {
                Failure::invalid(
                    "line is missing; give line and column (from 0), or line and character (from 1). Only the operation symbols needs no line.",
                )
            })
        };
        let query = match operation {
            Operation::Definition => of(NavigationQuery::Definition)?,
            Operation::References => of(NavigationQuery::References)?,
            Operation::Hover => of(NavigationQuery::Hover)?,
            Operation::Symbols => NavigationQuery::Symbols,
        };
        Ok(Request { path, query })
    }

    fn render(output: &Output, page: &mut Page) {
        locations::render(output, page);
        if !output.places.is_empty() || !output.symbols.is_empty() {
            page.note_once(
                "positions in replies count from 1: pass them as line and character; line and column count from 0",
            );
        }
    }
}

/// Parses the position: 0-based with `column`, 1-based with `character`. With neither, column 0 of the line; with
/// both, an error. `None` without a line.
fn spot(args: &Args) -> Result<Option<CursorPosition>, Failure> {
    match (args.line, args.column, args.character) {
        (_, Some(_), Some(_)) => Err(Failure::invalid(
            "column and character are both given; use line and column (from 0), or line and character (from 1).",
        )),
        (Some(line), None, Some(character)) => match (line.checked_sub(1), character.checked_sub(1)) {
            (Some(line), Some(column)) => Ok(Some(CursorPosition { line, column, base: Base::One })),
            _ => Err(Failure::invalid("line is 0, but with character it counts from 1.")),
        },
        (line, column, None) => {
            Ok(line.map(|line| CursorPosition { line, column: column.unwrap_or(0), base: Base::Zero }))
        }
        (None, None, Some(_)) => Ok(None),
    }
}
