//! `relations`: the users of a symbol, and the symbols that it uses.

pub use super::symbol_index::{Gone, Searched, Symbol, Which};

use super::symbol_index::{Asked, Shower, ask, choose};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    code::Code,
    failure::{Failure, Hint, Kind},
    operation::Operation,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_index::{At, Counts, Direction, Edge, Edges, Relation, Sure, Unresolved, Usage};
use toolpost_text::cut;

/// The `relations` operation.
pub struct Relations;

/// A symbol and a relation.
#[derive(Debug, Clone)]
pub struct Request {
    /// The symbol.
    pub which: Which,
    /// The relation, as the caller wrote it.
    pub relation: String,
    /// Maximum number of uses and places in each direction; all are counted.
    pub limit: usize,
    /// Number of uses and places to skip in each direction.
    pub offset: usize,
    /// Maximum size of the answer, in bytes.
    pub max_bytes: usize,
}

/// The relations of a symbol.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The symbol.
    pub symbol: Symbol,
    /// The id of the request, if the symbol has another one now.
    pub moved: Option<Gone>,
    /// The name of the relation.
    pub relation: String,
    /// The uses of the symbol by others.
    pub incoming: Side,
    /// The uses of others by the symbol.
    pub outgoing: Side,
    /// The searched files.
    pub searched: Searched,
}

/// The uses in one direction.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Side {
    /// The uses on this page, the most certain first.
    pub uses: Vec<Use>,
    /// The unresolved occurrences on this page; they follow the uses.
    pub unresolved_places: Vec<UnresolvedPlace>,
    /// Number of uses and places that were skipped.
    pub offset: usize,
    /// The offset of the next page, if there is one.
    pub next_offset: Option<usize>,
    /// True only if every occurrence is accounted for: nothing is unresolved, withheld or left out of the index.
    pub complete: bool,
    /// Number of uses that the text proves.
    pub proved: usize,
    /// Number of likely uses.
    pub inferred: usize,
    /// Number of possible uses.
    pub possible: usize,
    /// Number of occurrences of the name, or places in the symbol, that cannot be resolved.
    pub unresolved: usize,
    /// Number of uses that lead out of the workspace.
    pub outside: usize,
    /// Number of calls through a parameter or a variable.
    pub through_variables: usize,
    /// Number of occurrences of the name that belong to another relation, such as imports if calls were requested.
    pub other_places: usize,
    /// Number of uses in files that the rules do not allow to be read.
    pub withheld: usize,
}

/// An occurrence of a name that could not be resolved.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct UnresolvedPlace {
    /// The qualified name of the enclosing symbol.
    pub within: Option<String>,
    /// The file.
    pub path: String,
    /// The line, if the file is unchanged since it was indexed.
    pub line: Option<u64>,
    /// The source line.
    pub text: String,
    /// The kind of use.
    pub usage: String,
}

/// One use of a symbol by another.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Use {
    /// The other symbol: the one that uses, or the one that is used; `None` if the use is outside any
    /// symbol.
    pub symbol: Option<Symbol>,
    /// The file with the use.
    pub path: String,
    /// The line, if the file is unchanged since it was indexed.
    pub line: Option<u64>,
    /// The source line.
    pub text: String,
    /// The kind of use.
    pub usage: String,
    /// The method that resolved the use.
    pub how: String,
    /// Its certainty: `proved`, `inferred` or `possible`.
    pub sure: String,
}

/// The accepted relations, each with its synonyms.
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
    type Capability = Code;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        super::symbol::touches(&request.which)
    }

    async fn run(code: &Code, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let (name, relation) = relation(&request.relation)?;
        ask(code, cx, request.which.about(), move |asked| relate(asked, &request, name, relation)).await
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
    let searched = Searched::of(asked, None);
    let mut first = side(&shower, asked, &into, Direction::In, request);
    let mut second = side(&shower, asked, &out, Direction::Out, request);
    // A file that is not read yet can contain a call, or the definition that a call refers to.
    first.complete &= searched.left_out.is_empty() && searched.waiting == 0;
    second.complete &= searched.waiting == 0;
    let most = cut::fair(vec![first.weight(), second.weight()], room);
    first.cut(most);
    second.cut(most);
    Ok(Output {
        symbol,
        moved: chosen.moved,
        relation: name.to_owned(),
        incoming: first,
        outgoing: second,
        searched,
    })
}

fn side(
    shower: &Shower<'_>,
    asked: &Asked<'_>,
    edges: &Edges,
    direction: Direction,
    request: &Request,
) -> Side {
    let Counts { proved, inferred, possible, unresolved, outside, withheld, local, other } = edges.counts;
    let (offset, limit) = (request.offset, request.limit);
    let shown = edges.edges.iter().skip(offset).take(limit).map(|edge| shown(shower, asked, edge, direction));
    let uses: Vec<Use> = shown.collect();
    let passed = offset.saturating_sub(edges.edges.len());
    let places = edges.unresolved.iter().skip(passed).take(limit - uses.len());
    let mut side = Side {
        uses,
        unresolved_places: places.map(|one| unresolved_place(shower, asked, one)).collect(),
        offset,
        next_offset: None,
        complete: unresolved == 0 && withheld == 0 && local == 0,
        proved,
        inferred,
        possible,
        unresolved,
        outside,
        through_variables: local,
        other_places: other,
        withheld,
    };
    side.count();
    side
}

fn unresolved_place(shower: &Shower<'_>, asked: &Asked<'_>, one: &Unresolved) -> UnresolvedPlace {
    let path = asked.index.file(one.file).path.to_string();
    let (line, text) = shower.place(&path, one.place);
    let within = one.from.map(|at| asked.index.text(asked.index.symbol(at).qualified).to_owned());
    UnresolvedPlace { within, path, line, text, usage: usage(one.usage).to_owned() }
}

fn usage(usage: Usage) -> &'static str {
    match usage {
        Usage::Read => "read",
        Usage::Type => "type",
        Usage::Write => "write",
        Usage::Call => "call",
        Usage::Inherit => "inherit",
        Usage::Import => "import",
        Usage::Construct => "construct",
        Usage::Mention => "mention",
        Usage::Apparent => "apparent call",
    }
}

fn shown(shower: &Shower<'_>, asked: &Asked<'_>, edge: &Edge, direction: Direction) -> Use {
    let other: Option<At> = match direction {
        Direction::In => edge.from,
        Direction::Out => Some(edge.to),
    };
    let path = asked.index.file(edge.file).path.to_string();
    let (line, text) = shower.place(&path, edge.place);
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
        usage: usage(edge.usage).to_owned(),
        how: edge.how.name().to_owned(),
        sure: sure.to_owned(),
    }
}

impl Side {
    fn weight(&self) -> usize {
        let uses: usize = self.uses.iter().map(Use::weight).sum();
        uses + self.unresolved_places.iter().map(UnresolvedPlace::weight).sum::<usize>()
    }

    /// Keeps the first uses and places that fit into a number of bytes.
    fn cut(&mut self, mut room: usize) {
        let mut fits = |weight: usize| {
            let fits = weight <= room;
            room = if fits { room - weight } else { 0 };
            fits
        };
        let uses = self.uses.iter().take_while(|one| fits(one.weight())).count();
        let all = uses == self.uses.len();
        let places = self.unresolved_places.iter().take_while(|one| all && fits(one.weight())).count();
        self.uses.truncate(uses);
        self.unresolved_places.truncate(places);
        self.count();
    }

    /// Computes the offset of the next page.
    fn count(&mut self) {
        let next = self.offset + self.shown();
        // A page without room has no next page.
        self.next_offset = Some(next).filter(|next| *next < self.total() && *next > self.offset);
    }

    /// Returns the number of uses and places on this page.
    #[must_use]
    pub fn shown(&self) -> usize {
        self.uses.len() + self.unresolved_places.len()
    }

    /// Returns the number of uses and places on all pages.
    #[must_use]
    pub fn total(&self) -> usize {
        self.proved + self.inferred + self.possible + self.unresolved
    }
}

impl UnresolvedPlace {
    fn weight(&self) -> usize {
        let within = self.within.as_ref().map_or(0, String::len);
        within + self.path.len() + self.text.len() + self.text.matches('"').count() + 80
    }
}

impl Use {
    fn weight(&self) -> usize {
        let symbol = self.symbol.as_ref().map_or(0, Symbol::weight);
        symbol + self.path.len() + self.text.len() + self.text.matches('"').count() + 100
    }
}
