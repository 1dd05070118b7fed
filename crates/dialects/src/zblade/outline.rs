//! `symbol_outline`: the symbols of a file, as a tree.

use super::json;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolpost_engine::{
    Failure,
    operations::outline::{self, Entry, Output, Request},
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct SymbolOutline;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Args {
    #[schemars(extend("x-aliases" = ["file", "file_path"], "examples" = ["src/main.rs"]))]
    path: String,
    /// Symbols to skip.
    #[schemars(extend("x-raise" = true, "x-aliases" = ["skip"]))]
    offset: Option<usize>,
}

#[derive(Serialize)]
struct OutlineReply<'a> {
    path: &'a str,
    language: &'a str,
    symbol_count: usize,
    symbols: Vec<Node<'a>>,
    /// The offset of the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    /// Number of symbols that are not shown.
    #[serde(skip_serializing_if = "is_zero")]
    omitted: usize,
    /// Number of parse errors.
    #[serde(skip_serializing_if = "is_zero")]
    parse_errors: usize,
}

#[derive(Serialize)]
struct Node<'a> {
    /// Set only if another symbol of the file has the same qualified name; otherwise path and name identify it.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol_id: Option<&'a str>,
    name: &'a str,
    /// Set only if it cannot be derived. It can if it is the enclosing symbol's qualified name, a dot and `name`, or at
    /// the top level `name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    qualified_name: Option<&'a str>,
    kind: &'a str,
    signature: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    documentation: Option<&'a str>,
    start_line: u64,
    end_line: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<Self>,
    #[serde(skip_serializing_if = "is_zero")]
    omitted_children: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Tool for SymbolOutline {
    const NAME: &'static str = "symbol_outline";
    type Op = outline::Outline;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        Ok(Request {
            path: at.source(&args.path)?,
            raw_path: args.path,
            offset: args.offset,
            max_bytes: json::room(at),
        })
    }

    fn render(output: &Output, page: &mut Page) {
        let outlined = OutlineReply {
            path: &output.path,
            language: &output.language,
            symbol_count: output.total,
            symbols: children(&output.symbols, None),
            next_offset: output.next_offset,
            omitted: output.total - output.symbols.len(),
            parse_errors: output.errors,
        };
        json::write(&outlined, page);
        let (shown, total) = (output.symbols.len(), output.total);
        match output.next_offset {
            Some(next) => {
                page.note(format!("{shown} of {total} symbols are shown; continue with offset {next}"));
            }
            None if shown < total && output.offset.is_none() => {
                page.note(format!(
                    "{shown} of {total} symbols are shown; to page through all symbols in order, pass \
                     offset 0"
                ));
            }
            None => {}
        }
        if output.errors > 0 {
            page.note("parts of the file could not be parsed; their symbols may be missing");
        }
    }
}

/// Lists the children of an entry, or the top level.
fn children(all: &[Entry], parent: Option<usize>) -> Vec<Node<'_>> {
    let own = all.iter().enumerate().filter(|(_, entry)| entry.parent == parent);
    let around = parent.and_then(|parent| all.get(parent)).map(|around| around.qualified.as_str());
    let follows = |entry: &Entry| match around {
        Some(around) => entry.qualified.strip_prefix(around) == Some(&format!(".{}", entry.name)),
        None => entry.qualified == entry.name,
    };
    own.map(|(at, entry)| Node {
        symbol_id: entry.shares_name.then_some(entry.id.as_str()),
        name: &entry.name,
        qualified_name: (!follows(entry)).then_some(entry.qualified.as_str()),
        kind: entry.kind.name(),
        signature: &entry.signature,
        documentation: entry.documentation.as_deref(),
        start_line: entry.line,
        end_line: entry.last_line,
        children: children(all, Some(at)),
        omitted_children: entry.more,
    })
    .collect()
}
