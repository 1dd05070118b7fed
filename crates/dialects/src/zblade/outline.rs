//! `symbol_outline`: what a file defines, as a tree.

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
    #[schemars(extend("x-aliases" = ["skip"]))]
    offset: Option<usize>,
}

#[derive(Serialize)]
struct Outlined<'a> {
    path: &'a str,
    language: &'a str,
    symbol_count: usize,
    symbols: Vec<Node<'a>>,
    /// The offset of the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    /// How many symbols are not shown.
    #[serde(skip_serializing_if = "is_zero")]
    omitted: usize,
    /// At how many places the text could not be parsed.
    #[serde(skip_serializing_if = "is_zero")]
    parse_errors: usize,
}

#[derive(Serialize)]
struct Node<'a> {
    /// Only if another symbol of the file has the same whole name: else path and name say which one is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol_id: Option<&'a str>,
    name: &'a str,
    /// Only if it is not the name behind those of the symbols around it.
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
            said: args.path,
            offset: args.offset,
            max_bytes: at.reply_bytes() / 8 * 7,
        })
    }

    fn render(output: &Output, page: &mut Page) {
        let outlined = Outlined {
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
                page.note(format!("{shown} of {total} symbols are shown; offset {next} shows the next"));
            }
            None if shown < total && output.offset.is_none() => {
                page.note(format!(
                    "{shown} of {total} symbols are shown; offset 0 pages through all in order"
                ));
            }
            None => {}
        }
        if output.errors > 0 {
            page.note("parts of the file could not be parsed; what they define may be missing");
        }
    }
}

/// Lists what one of the entries contains, or else the top.
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
        kind: &entry.kind,
        signature: &entry.signature,
        documentation: entry.documentation.as_deref(),
        start_line: entry.line,
        end_line: entry.last_line,
        children: children(all, Some(at)),
        omitted_children: entry.more,
    })
    .collect()
}
