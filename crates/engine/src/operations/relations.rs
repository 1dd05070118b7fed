//! `relations`: who uses a symbol, and what it uses itself.

pub use crate::indexed::{Gone, Searched, Symbol, Which};

use crate::{
    Access, CallCtx, Engine, Failure, Hint, Kind, Operation, Touch,
    indexed::{Asked, Shower, ask, choose},
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_index::{At, Counts, Direction, Edge, Edges, Relation, Sure, Usage};
use toolpost_text::cut;

/// Shows how a symbol has to do with others.
pub struct Relations;

/// Of which symbol, and how.
#[derive(Debug, Clone)]
pub struct Request {
    /// Which symbol.
    pub which: Which,
    /// How they have to do with one another, as it was said.
    pub relation: String,
    /// How many uses are shown in each direction; all are counted.
    pub limit: usize,
    /// How many bytes the answer may have.
    pub max_bytes: usize,
}

/// How a symbol has to do with others.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The symbol.
    pub symbol: Symbol,
    /// Under what id it was asked for, if that is not its own any more.
    pub moved: Option<Gone>,
    /// How they have to do with one another.
    pub relation: String,
    /// What uses the symbol.
    pub incoming: Side,
    /// What the symbol uses.
    pub outgoing: Side,
    /// What was searched.
    pub searched: Searched,
    /// How many uses were asked for on each side.
    #[serde(skip)]
    #[schemars(skip)]
    pub limit: usize,
}

/// The uses in one direction.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Side {
    /// The uses that are shown, the surest first.
    pub uses: Vec<Use>,
    /// How many the text proves.
    pub proved: usize,
    /// How many are likely.
    pub inferred: usize,
    /// How many may be.
    pub possible: usize,
    /// At how many places of the name, or in the symbol, nobody can tell what is meant.
    pub unresolved: usize,
    /// How many lead out of the workspace.
    pub outside: usize,
    /// How many lead to files that the rules do not let be read.
    pub withheld: usize,
}

/// One use of a symbol by another.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Use {
    /// The other symbol: the one that uses, or the one that is used; none where the use stands in none.
    pub symbol: Option<Symbol>,
    /// The file in which the use stands.
    pub path: String,
    /// The line, if the file is still what it was.
    pub line: Option<u64>,
    /// What stands on the line.
    pub text: String,
    /// How it is used.
    pub usage: String,
    /// How that was found.
    pub how: String,
    /// How sure it is: `proved`, `inferred` or `possible`.
    pub sure: String,
}

/// The relations that can be asked for, each with other words for it.
const RELATIONS: [(&str, Relation, &[&str]); 5] = [
    ("call", Relation::Call, &["calls"]),
    ("import", Relation::Import, &["imports"]),
    ("inherit", Relation::Inherit, &["inherits", "extends", "extend", "implements", "implement"]),
    ("type", Relation::Type, &["types"]),
    ("usage", Relation::Usage, &["usages", "use", "uses", "reference", "references", "all"]),
];

impl Operation for Relations {
    const NAME: &'static str = "relations";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        super::symbol::touches(&request.which)
    }

    async fn run(engine: &Engine, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let (name, relation) = relation(&request.relation)?;
        ask(engine, cx, request.which.about(), move |asked| relate(asked, &request, name, relation)).await
    }
}

fn relation(said: &str) -> Result<(&'static str, Relation), Failure> {
    let word = said.trim().to_lowercase();
    let known = RELATIONS.iter().find(|(name, _, others)| *name == word || others.contains(&word.as_str()));
    known.map(|(name, relation, _)| (*name, *relation)).ok_or_else(|| {
        let names: Vec<&str> = RELATIONS.iter().map(|(name, ..)| *name).collect();
        Failure::new(Kind::Invalid, format!("{said} is no relation of symbols that is known here."))
            .hint(Hint::Advice(format!("Leave it out, or name one of: {}.", names.join(", "))))
    })
}

fn relate(asked: &Asked<'_>, request: &Request, name: &str, relation: Relation) -> Result<Output, Failure> {
    let chosen = choose(asked, &request.which)?;
    let shower = Shower::new(asked);
    let may = |shown: &str| asked.may(shown);
    let symbol = shower.symbol(chosen.at);
    let room = request.max_bytes.saturating_sub(symbol.weight() + 1_024);
    let edges = |direction: Direction| asked.index.edges(chosen.at, direction, relation, &may);
    let (into, out) = (edges(Direction::In), edges(Direction::Out));
    let mut first = side(&shower, asked, &into, Direction::In, request.limit);
    let mut second = side(&shower, asked, &out, Direction::Out, request.limit);
    let most = cut::fair(vec![first.weight(), second.weight()], room);
    first.cut(most);
    second.cut(most);
    Ok(Output {
        symbol,
        moved: chosen.moved,
        relation: name.to_owned(),
        incoming: first,
        outgoing: second,
        searched: Searched::of(asked, None),
        limit: request.limit,
    })
}

fn side(shower: &Shower<'_>, asked: &Asked<'_>, edges: &Edges, direction: Direction, limit: usize) -> Side {
    let Counts { proved, inferred, possible, unresolved, outside, withheld } = edges.counts;
    let shown = edges.edges.iter().take(limit).map(|edge| shown(shower, asked, edge, direction));
    Side { uses: shown.collect(), proved, inferred, possible, unresolved, outside, withheld }
}

fn shown(shower: &Shower<'_>, asked: &Asked<'_>, edge: &Edge, direction: Direction) -> Use {
    let other: Option<At> = match direction {
        Direction::In => edge.from,
        Direction::Out => Some(edge.to),
    };
    let path = asked.index.file(edge.file).path.to_string();
    let (line, text) = shower.place(&path, edge.place);
    let usage = match edge.usage {
        Usage::Read => "read",
        Usage::Type => "type",
        Usage::Write => "write",
        Usage::Call => "call",
        Usage::Inherit => "inherit",
        Usage::Import => "import",
    };
    let sure = match edge.sure {
        Sure::Proved => "proved",
        Sure::Inferred => "inferred",
        Sure::Possible => "possible",
    };
    Use {
        symbol: other.map(|at| shower.symbol(at)),
        path,
        line,
        text,
        usage: usage.to_owned(),
        how: edge.how.name().to_owned(),
        sure: sure.to_owned(),
    }
}

impl Side {
    fn weight(&self) -> usize {
        self.uses.iter().map(Use::weight).sum()
    }

    /// Keeps the first uses that fit into so many bytes.
    fn cut(&mut self, mut room: usize) {
        let keep = self.uses.iter().take_while(|one| {
            let weight = one.weight();
            let fits = weight <= room;
            room = if fits { room - weight } else { 0 };
            fits
        });
        let keep = keep.count();
        self.uses.truncate(keep);
    }

    /// Gives how many there are in all, shown or not.
    #[must_use]
    pub fn total(&self) -> usize {
        self.proved + self.inferred + self.possible
    }
}

impl Use {
    fn weight(&self) -> usize {
        let symbol = self.symbol.as_ref().map_or(0, Symbol::weight);
        symbol + self.path.len() + self.text.len() + self.text.matches('"').count() + 100
    }
}
