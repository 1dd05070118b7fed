//! `symbol`: one symbol, by its id or by a file and a name.

pub use super::symbol_index::{FormerId, Symbol as SymbolEntry, SymbolRef};

use super::symbol_index::{IndexContext, SourceReader, ask, choose};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    code::Code,
    failure::Failure,
    operation::Operation,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_symbols::At;
use toolpost_text::budget::ByteBudget;

/// The `symbol` operation, which shows one symbol.
pub struct Symbol;

/// Request for one symbol.
#[derive(Debug, Clone)]
pub struct Request {
    /// The symbol to show.
    pub which: SymbolRef,
    /// Maximum size of the answer, in bytes.
    pub max_bytes: usize,
}

/// A symbol with its surroundings.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The symbol that was found.
    pub symbol: SymbolEntry,
    /// The language of the symbol.
    pub language: String,
    /// The requested id, if the symbol has another id now.
    pub moved: Option<FormerId>,
    /// The enclosing symbol; `None` at the top level of the file.
    pub parent: Option<SymbolEntry>,
    /// The first members of the symbol, as many as the size limit allows.
    pub inside: Vec<SymbolEntry>,
    /// Total number of members.
    pub inside_total: usize,
}

impl Operation for Symbol {
    const NAME: &'static str = "symbol";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = Code;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        touches(&request.which)
    }

    async fn run(code: &Code, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        ask(code, cx, request.which.about(), move |context| show(context, &request)).await
    }
}

/// Lists the file that a request for a symbol reads; empty if the request does not name the file.
pub(super) fn touches(which: &SymbolRef) -> Vec<Touch> {
    match which {
        // The file of a symbol that is given by its id is not known yet. `choose` refuses symbols in files
        // that may not be read.
        SymbolRef::Id(_) => Vec::new(),
        SymbolRef::Named { path, .. } => vec![Touch::Read(path.clone())],
    }
}

fn show(context: &IndexContext<'_>, request: &Request) -> Result<Output, Failure> {
    let chosen = choose(context, &request.which)?;
    let reader = SourceReader::new(context);
    let at = chosen.at;
    let file = context.index.file(at.file);
    let of = |symbol: u32| reader.symbol(At { file: at.file, symbol });
    let children = (0..).zip(&file.record.symbols).filter(|(_, other)| other.parent == Some(at.symbol));
    let children: Vec<u32> = children.map(|(symbol, _)| symbol).collect();
    let symbol = reader.symbol(at);
    let parent = context.index.symbol(at).parent.map(of);
    let mut budget = ByteBudget::reserving(request.max_bytes, 2 * symbol.weight());
    let inside = children.iter().map(|symbol| of(*symbol)).take_while(|symbol| budget.takes(symbol.weight()));
    Ok(Output {
        inside: inside.collect(),
        inside_total: children.len(),
        language: file.record.language.clone(),
        moved: chosen.moved,
        parent,
        symbol,
    })
}
