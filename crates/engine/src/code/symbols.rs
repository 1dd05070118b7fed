//! `symbols`: symbols of the whole workspace, by an approximate name.

pub use super::symbol_index::{DirectLook, SearchCoverage, Symbol};
pub use toolpost_syntax::Kind as SymbolKind;

use super::symbol_index::{About, IndexContext, SourceReader, ask};
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
use toolpost_symbols::{At, SymbolQuery, built_from};
use toolpost_text::budget::ByteBudget;
use toolpost_text::names;
use toolpost_workspace::{AccessKind, WorkspacePath};

/// The `symbols` operation, which finds symbols by an approximate name.
pub struct Symbols;

/// Request for a search for symbols by name.
#[derive(Debug, Clone)]
pub struct Request {
    /// The name, or a part of it.
    pub query: String,
    /// The file or directory to search; `None` for the whole workspace.
    pub base: Option<WorkspacePath>,
    /// The kind of symbol to find, as the caller wrote it; `None` for all kinds. The kinds are `function`, `class`,
    /// `struct`, `union`, `enum`, `variant`, `interface`, `trait`, `impl`, `constant`, `variable`, `field`, `type`,
    /// `module` and `macro`. Synonyms such as `method` are accepted; another word is refused with this list.
    pub kind: Option<String>,
    /// Maximum number of symbols that are shown; further symbols are only counted.
    pub limit: usize,
    /// Maximum size of the answer, in bytes.
    pub max_bytes: usize,
}

impl Request {
    /// Requests the symbols with the name `query` or a similar one, of all kinds and in the whole workspace; at most
    /// 20 are shown.
    #[must_use]
    pub fn of(query: String, max_bytes: usize) -> Self {
        Self { query, base: None, kind: None, limit: 20, max_bytes }
    }
}

/// The symbols that match.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The symbols, best matches first.
    pub symbols: Vec<Hit>,
    /// Total number of matches.
    pub total: usize,
    /// The files that were searched, and those that were left out.
    pub searched: SearchCoverage,
    /// Similar names, if no symbol matches; otherwise empty.
    pub near: Vec<String>,
}

/// A symbol that matches.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Hit {
    /// The symbol that matches.
    pub symbol: Symbol,
    /// The quality of the match, for example `exact`.
    pub fit: String,
    /// For a symbol in a generated file: the id of this symbol in the source file, if that id is in the list.
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
        ask(code, cx, about, move |context| Ok(search(context, &request, kinds.as_slice()))).await
    }
}

fn search(context: &IndexContext<'_>, request: &Request, kinds: &[SymbolKind]) -> Output {
    let base = request.base.as_ref();
    let may = |shown: &str| context.may(shown) && base.is_none_or(|base| context.lies_in(shown, base));
    let wanted = SymbolQuery { query: &request.query, kinds, limit: request.limit };
    let found = context.index.find(&wanted, &may);
    let reader = SourceReader::new(context);
    let mut budget = ByteBudget::new(request.max_bytes);
    let hits = found.hits.iter().map(|hit| Hit {
        symbol: reader.symbol(hit.at),
        fit: hit.fit.name().to_owned(),
        built_from: None,
    });
    let mut symbols: Vec<Hit> = hits.take_while(|hit| budget.takes(hit.symbol.weight())).collect();
    mark_copies(&mut symbols);
    let near = if found.total == 0 { near(context, &request.query, &may) } else { Vec::new() };
    Output { symbols, total: found.total, searched: SearchCoverage::of(context, base), near }
}

/// Moves symbols in generated files after the other equally good matches, and records for each of them the id
/// of the same symbol in the source file.
fn mark_copies(symbols: &mut [Hit]) {
    let mut named: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, hit) in symbols.iter().enumerate() {
        named.entry(exported(&hit.symbol.qualified).to_owned()).or_default().push(at);
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

/// Returns the name under which other files import a symbol: a compiler writes `export function total` of TypeScript as
/// `exports.total = total` for CommonJS.
fn exported(qualified: &str) -> &str {
    let name = qualified.strip_prefix("module.").unwrap_or(qualified);
    name.strip_prefix("exports.").unwrap_or(qualified)
}

/// Lists names of symbols that are similar to a requested name that no symbol has.
fn near(context: &IndexContext<'_>, query: &str, may: &dyn Fn(&str) -> bool) -> Vec<String> {
    let last = query.trim().rsplit(['.', ':', '#']).next().unwrap_or(query);
    let all = context.index.names_near(last, names::tolerance(last));
    let told = |at: &At| may(&context.index.file(at.file).path);
    let mut names: Vec<&str> =
        all.into_iter().filter(|(_, all)| all.iter().any(told)).map(|(name, _)| name).collect();
    names.sort_unstable();
    names::suggest(last, &names, 5).into_iter().map(str::to_owned).collect()
}

fn kind(said: &str) -> Result<SymbolKind, Failure> {
    SymbolKind::of_word(said).ok_or_else(|| {
        let names: Vec<&str> = SymbolKind::of_code().collect();
        Failure::new(Kind::Invalid, format!("{said} is not a kind of symbol."))
            .hint(Hint::Advice(format!("Leave out the kind, or pass one of: {}.", names.join(", "))))
    })
}
