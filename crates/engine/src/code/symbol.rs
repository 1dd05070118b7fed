//! `symbol`: one symbol, by its id or by a file and a name.

pub use super::symbol_index::{Gone, Symbol as Shown, Which};

use super::symbol_index::{Asked, Shower, ask, choose};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    code::Code,
    failure::Failure,
    operation::Operation,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_index::At;

/// The `symbol` operation.
pub struct Symbol;

/// A symbol, and a size limit.
#[derive(Debug, Clone)]
pub struct Request {
    /// The symbol.
    pub which: Which,
    /// Maximum size of the answer, in bytes.
    pub max_bytes: usize,
}

/// A symbol with its surroundings.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The symbol.
    pub symbol: Shown,
    /// Its language.
    pub language: String,
    /// The id of the request, if the symbol has another one now.
    pub moved: Option<Gone>,
    /// The enclosing symbol.
    pub parent: Option<Shown>,
    /// Its members, as many as fit.
    pub inside: Vec<Shown>,
    /// Total number of its members.
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
        ask(code, cx, request.which.about(), move |asked| show(asked, &request)).await
    }
}

/// Returns the accesses of a request for a symbol.
pub(super) fn touches(which: &Which) -> Vec<Touch> {
    match which {
        // An id names no file yet. Replies reveal nothing about files that may not be read.
        Which::Id(_) => Vec::new(),
        Which::Named { path, .. } => vec![Touch::Read(path.clone())],
    }
}

fn show(asked: &Asked<'_>, request: &Request) -> Result<Output, Failure> {
    let chosen = choose(asked, &request.which)?;
    let shower = Shower::new(asked);
    let at = chosen.at;
    let file = asked.index.file(at.file);
    let of = |symbol: u32| shower.symbol(At { file: at.file, symbol });
    let children = (0..).zip(&file.record.symbols).filter(|(_, other)| other.parent == Some(at.symbol));
    let children: Vec<u32> = children.map(|(symbol, _)| symbol).collect();
    let symbol = shower.symbol(at);
    let parent = asked.index.symbol(at).parent.map(of);
    let mut room = request.max_bytes.saturating_sub(2 * symbol.weight());
    let inside = children.iter().map(|symbol| of(*symbol)).take_while(|symbol| {
        let weight = symbol.weight();
        let fits = weight <= room;
        room = room.saturating_sub(weight);
        fits
    });
    Ok(Output {
        inside: inside.collect(),
        inside_total: children.len(),
        language: file.record.language.clone(),
        moved: chosen.moved,
        parent,
        symbol,
    })
}
