//! `symbols`: symbols of the whole workspace, by an approximate name.

pub use super::symbol_index::{DirectLook, Searched, Symbol};

use super::symbol_index::{About, Asked, Shower, ask};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    code::Code,
    failure::{Failure, Hint, Kind},
    operation::Operation,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use toolpost_index::{At, Wanted, built_from};
use toolpost_syntax::Kind as Sort;
use toolpost_text::names;
use toolpost_workspace::{AccessKind, WorkspacePath};

/// The `symbols` operation.
pub struct Symbols;

/// A search for symbols.
#[derive(Debug, Clone)]
pub struct Request {
    /// The name, or a part of it.
    pub query: String,
    /// The file or directory to search.
    pub base: Option<WorkspacePath>,
    /// The kind, as the caller wrote it.
    pub kind: Option<String>,
    /// Maximum number of symbols that are shown; all are counted.
    pub limit: usize,
    /// Maximum size of the answer, in bytes.
    pub max_bytes: usize,
}

/// The symbols that match.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The symbols, best matches first.
    pub symbols: Vec<Hit>,
    /// Total number of matches.
    pub total: usize,
    /// The searched files.
    pub searched: Searched,
    /// Similar names, if no symbol has the requested one.
    pub near: Vec<String>,
}

/// A symbol that matches.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Hit {
    /// The symbol.
    pub symbol: Symbol,
    /// The quality of the match.
    pub fit: String,
    /// The id of the symbol that it was built from, if that is also in the list.
    pub built_from: Option<String>,
}

impl Operation for Symbols {
    const NAME: &'static str = "symbols";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = Code;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        request.base.iter().map(|base| Touch::Read(base.clone())).collect()
    }

    async fn run(code: &Code, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let kinds = request.kind.as_deref().map(kind).transpose()?;
        if let Some(base) = &request.base
            && let Err(error) = code.files().workspace().stat(base)
        {
            return Err(match error.why {
                AccessKind::Missing => crate::files::lookup::missing(code.files(), base, &base.display()),
                _ => crate::failure::convert::access(base, error),
            });
        }
        let names = vec![request.query.clone()];
        let about = About { names, paths: Vec::new(), base: request.base.clone() };
        ask(code, cx, about, move |asked| Ok(search(asked, &request, kinds.as_slice()))).await
    }
}

fn search(asked: &Asked<'_>, request: &Request, kinds: &[Sort]) -> Output {
    let base = request.base.as_ref();
    let may = |shown: &str| asked.may(shown) && base.is_none_or(|base| asked.lies_in(shown, base));
    let wanted = Wanted { query: &request.query, kinds, limit: request.limit };
    let found = asked.index.find(&wanted, &may);
    let shower = Shower::new(asked);
    let mut room = request.max_bytes;
    let hits = found.hits.iter().map(|hit| Hit {
        symbol: shower.symbol(hit.at),
        fit: hit.fit.name().to_owned(),
        built_from: None,
    });
    let mut symbols: Vec<Hit> = hits
        .take_while(|hit| {
            let weight = hit.symbol.weight();
            let fits = weight <= room;
            room = if fits { room - weight } else { 0 };
            fits
        })
        .collect();
    mark_copies(&mut symbols);
    let near = if found.total == 0 { near(asked, &request.query, &may) } else { Vec::new() };
    Output { symbols, total: found.total, searched: Searched::of(asked, base), near }
}

/// Moves symbols of generated files after equally good matches in their sources, and records their origin.
fn mark_copies(symbols: &mut [Hit]) {
    let mut named: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, hit) in symbols.iter().enumerate() {
        named.entry(hit.symbol.qualified.clone()).or_default().push(at);
    }
    for same in named.into_values().filter(|same| same.len() > 1) {
        let paths: Vec<&str> = same.iter().map(|at| symbols[*at].symbol.path.as_str()).collect();
        let sources: Vec<Option<String>> = built_from(&paths)
            .into_iter()
            .map(|source| source.map(|source| symbols[same[source]].symbol.id.clone()))
            .collect();
        for (at, source) in same.into_iter().zip(sources) {
            symbols[at].built_from = source;
        }
    }
    for alike in symbols.chunk_by_mut(|one, other| one.fit == other.fit) {
        alike.sort_by_key(|hit| hit.built_from.is_some());
    }
}

/// Lists names that are similar to one that no symbol has.
fn near(asked: &Asked<'_>, query: &str, may: &dyn Fn(&str) -> bool) -> Vec<String> {
    let last = query.trim().rsplit(['.', ':', '#']).next().unwrap_or(query);
    let all = asked.index.names_near(last, names::tolerance(last));
    let told = |at: &At| may(&asked.index.file(at.file).path);
    let mut names: Vec<&str> =
        all.into_iter().filter(|(_, all)| all.iter().any(told)).map(|(name, _)| name).collect();
    names.sort_unstable();
    names::suggest(last, &names, 5).into_iter().map(str::to_owned).collect()
}

fn kind(said: &str) -> Result<Sort, Failure> {
    Sort::of_word(said).ok_or_else(|| {
        let names: Vec<&str> = Sort::of_code().collect();
        Failure::new(Kind::Invalid, format!("{said} is no kind of symbol."))
            .hint(Hint::Advice(format!("Leave it out, or name one of: {}.", names.join(", "))))
    })
}
