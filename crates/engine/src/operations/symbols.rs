//! `symbols`: symbols of the whole workspace, by what is remembered of their names.

pub use crate::indexed::{Searched, Symbol};

use crate::{
    Access, CallCtx, Engine, Failure, Hint, Kind, Operation, Touch,
    indexed::{Asked, Shower, ask},
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_index::{At, Wanted};
use toolpost_syntax::Kind as Sort;
use toolpost_text::names;
use toolpost_workspace::{AccessKind, WorkspacePath};

/// Finds symbols by their names.
pub struct Symbols;

/// What to look for.
#[derive(Debug, Clone)]
pub struct Request {
    /// What is remembered of the name.
    pub query: String,
    /// The file, or the directory, in which they are.
    pub base: Option<WorkspacePath>,
    /// The kind, as it was said.
    pub kind: Option<String>,
    /// How many are shown; all are counted.
    pub limit: usize,
    /// How many bytes the answer may have.
    pub max_bytes: usize,
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The symbols, first those whose names fit best.
    pub symbols: Vec<Hit>,
    /// How many fit in all.
    pub total: usize,
    /// What was searched.
    pub searched: Searched,
    /// Names that are like the one that nothing has.
    pub near: Vec<String>,
}

/// A symbol that was found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Hit {
    /// The symbol.
    pub symbol: Symbol,
    /// How its name fits.
    pub fit: String,
    /// The files with copies of it that a build made.
    pub copies: Vec<String>,
}

impl Operation for Symbols {
    const NAME: &'static str = "symbols";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        request.base.iter().map(|base| Touch::Read(base.clone())).collect()
    }

    async fn run(engine: &Engine, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let kinds = request.kind.as_deref().map(kind).transpose()?;
        if let Some(base) = &request.base
            && let Err(error) = engine.workspace().stat(base)
        {
            return Err(match error.why {
                AccessKind::Missing => crate::show::find::missing(engine, base, &base.display()),
                _ => crate::failures::access(base, error),
            });
        }
        ask(engine, cx, move |asked| Ok(search(asked, &request, kinds.as_slice()))).await
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
        copies: Vec::new(),
    });
    let symbols: Vec<Hit> = grouped(asked, hits.collect())
        .into_iter()
        .take_while(|hit| {
            let weight = hit.symbol.weight();
            let fits = weight <= room;
            room = if fits { room - weight } else { 0 };
            fits
        })
        .collect();
    let near = if found.total == 0 { near(asked, &request.query, &may) } else { Vec::new() };
    let copies: usize = symbols.iter().map(|hit| hit.copies.len()).sum();
    Output { symbols, total: found.total - copies, searched: Searched::of(asked, base), near }
}

/// Puts the copies that a build made behind the symbol of which they are copies.
fn grouped(asked: &Asked<'_>, hits: Vec<Hit>) -> Vec<Hit> {
    let is_built = |hit: &Hit| {
        let file = asked.index.by_path(&hit.symbol.path);
        file.is_some_and(|file| asked.index.file(file).is_built())
    };
    let stem = |hit: &Hit| {
        let name = hit.symbol.path.rsplit('/').next().unwrap_or_default();
        name.split('.').next().unwrap_or_default().to_owned()
    };
    let (built, mut out): (Vec<Hit>, Vec<Hit>) = hits.into_iter().partition(is_built);
    let mut alone = Vec::new();
    for copy in built {
        let same = |hit: &&mut Hit| hit.symbol.qualified == copy.symbol.qualified && stem(hit) == stem(&copy);
        match out.iter_mut().find(same) {
            Some(source) => source.copies.push(copy.symbol.path),
            None => alone.push(copy),
        }
    }
    out.extend(alone);
    out
}

/// Lists names that are like one that nothing has.
fn near(asked: &Asked<'_>, query: &str, may: &dyn Fn(&str) -> bool) -> Vec<String> {
    let last = query.trim().rsplit(['.', ':', '#']).next().unwrap_or(query);
    let all = asked.index.names_near(last, names::tolerance(last));
    let told = |at: &At| may(&asked.index.file(at.file).path);
    let mut names: Vec<&str> =
        all.into_iter().filter(|(_, all)| all.iter().any(told)).map(|(name, _)| name).collect();
    names.sort_unstable();
    names::suggest(last, &names, 5).into_iter().map(str::to_owned).collect()
}

/// Takes a kind as it was said.
fn kind(said: &str) -> Result<Sort, Failure> {
    Sort::of_word(said).ok_or_else(|| {
        let names: Vec<&str> = Sort::of_code().collect();
        Failure::new(Kind::Invalid, format!("{said} is no kind of symbol."))
            .hint(Hint::Advice(format!("Leave it out, or name one of: {}.", names.join(", "))))
    })
}
