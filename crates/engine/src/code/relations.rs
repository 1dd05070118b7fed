//! `relations`: the users of a symbol, and the symbols that it uses.

pub use super::symbol_index::{FormerId, SearchCoverage, Symbol, SymbolRef};
pub use toolpost_symbols::{Certainty, Relation, ResolutionMethod, Usage};

use super::symbol_index::{IndexContext, SourceReader, ask, choose_in};
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    code::Code,
    failure::Failure,
    operation::Operation,
};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use toolpost_symbols::{At, Counts, Direction, Edge, Edges, Unresolved};
use toolpost_text::budget::{ByteBudget, fair};

/// The `relations` operation, which lists the users of a symbol, and the symbols that it uses.
pub struct Relations;

/// A symbol and a kind of use, such as `call`.
#[derive(Debug, Clone)]
pub struct Request {
    /// The symbol whose relations are listed.
    pub which: SymbolRef,
    /// The relation, such as calls.
    pub relation: Relation,
    /// Maximum number of uses and unresolved occurrences on a page, for incoming and for outgoing uses separately.
    pub limit: usize,
    /// Number of uses and unresolved occurrences to skip, for incoming and for outgoing uses separately.
    pub offset: usize,
    /// Maximum size of the answer, in bytes.
    pub max_bytes: usize,
}

/// The relations of a symbol.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The symbol whose relations are listed.
    pub symbol: Symbol,
    /// The requested id, if the symbol has another id now.
    pub moved: Option<FormerId>,
    /// Relation, such as `call`.
    #[serde(serialize_with = "relation_name")]
    #[schemars(with = "String")]
    pub relation: Relation,
    /// Uses of the symbol by other code.
    pub incoming: UsePage,
    /// Uses of other symbols in the code of the symbol.
    pub outgoing: UsePage,
    /// The files that were searched, and those that were left out.
    pub searched: SearchCoverage,
}

/// A page of the incoming or outgoing uses of a symbol.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct UsePage {
    /// The uses on this page, the most certain first.
    pub uses: Vec<Use>,
    /// The unresolved occurrences on this page; they follow the uses.
    pub unresolved_places: Vec<UnresolvedPlace>,
    /// Number of skipped uses and occurrences.
    pub offset: usize,
    /// The offset of the next page, if there is one.
    pub next_offset: Option<usize>,
    /// True only if all occurrences are known: none is unresolved, withheld, a call through a variable, or in
    /// a file that is not in the index.
    pub complete: bool,
    /// Number of uses that the source code proves.
    pub proved: usize,
    /// Number of likely uses.
    pub inferred: usize,
    /// Number of possible uses.
    pub possible: usize,
    /// Number of unresolved occurrences: for incoming uses, of the symbol's name; for outgoing uses, in the symbol's code.
    pub unresolved: usize,
    /// Number of uses of symbols outside the workspace; for incoming uses, of those with the name of this symbol.
    pub outside: usize,
    /// Number of calls through a parameter or a variable; for incoming uses, of those with the name of this symbol.
    pub through_variables: usize,
    /// Number of occurrences of the name that belong to another relation, such as imports if calls were
    /// requested.
    pub other_places: usize,
    /// Number of occurrences that are uses of another symbol with the same name.
    pub same_name: usize,
    /// Number of uses in files that the rules do not allow to be read.
    pub withheld: usize,
}

/// An occurrence of a name that could not be resolved.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct UnresolvedPlace {
    /// The qualified name of the enclosing symbol; `None` outside any symbol.
    pub within: Option<String>,
    /// The file that contains the occurrence.
    pub path: String,
    /// The line, if the file is unchanged since it was indexed.
    pub line: Option<u64>,
    /// The source line.
    pub text: String,
    /// The kind of use.
    #[serde(serialize_with = "name")]
    #[schemars(with = "String")]
    pub usage: Usage,
}

/// One use of a symbol.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Use {
    /// The other symbol: for an incoming use, the symbol whose code contains the use, or `None` outside any
    /// symbol; for an outgoing use, the used symbol.
    pub symbol: Option<Symbol>,
    /// The file with the use.
    pub path: String,
    /// The line, if the file is unchanged since it was indexed.
    pub line: Option<u64>,
    /// The source line.
    pub text: String,
    /// The kind of use.
    #[serde(serialize_with = "name")]
    #[schemars(with = "String")]
    pub usage: Usage,
    /// The evidence for the use, such as `import`.
    #[schemars(with = "String")]
    pub how: ResolutionMethod,
    /// The certainty: `proved`, `inferred` or `possible`.
    #[schemars(with = "String")]
    pub sure: Certainty,
}

fn relation_name<S: Serializer>(relation: &Relation, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(relation.name())
}

fn name<S: Serializer>(usage: &Usage, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(usage.name())
}

/// The size of the answer in addition to its symbol and its lists, in bytes.
const AROUND: usize = 1_024;

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
        ask(code, cx, request.which.about(), move |context| relate(context, &request)).await
    }
}

fn relate(context: &IndexContext<'_>, request: &Request) -> Result<Output, Failure> {
    let relation = request.relation;
    let chosen = choose_in(context, &request.which, relation)?;
    let reader = SourceReader::new(context);
    let may = |shown: &str| context.may(shown);
    let symbol = reader.symbol(chosen.at);
    let room = request.max_bytes.saturating_sub(symbol.weight() + AROUND);
    let edges = |direction: Direction| context.index.edges(chosen.at, direction, relation, &may);
    let (into, out) = (edges(Direction::In), edges(Direction::Out));
    let searched = SearchCoverage::of(context, None);
    let mut first = side(&reader, context, &into, Direction::In, request);
    let mut second = side(&reader, context, &out, Direction::Out, request);
    // A file that is not read yet can contain a call, or the definition that a call refers to, so neither list is
    // complete. A file that is left out can contain a call.
    first.complete &= searched.left_out.is_empty() && searched.waiting == 0;
    second.complete &= searched.waiting == 0;
    let most = fair(vec![first.weight(), second.weight()], room);
    first.cut(most);
    second.cut(most);
    Ok(Output { symbol, moved: chosen.moved, relation, incoming: first, outgoing: second, searched })
}

fn side(
    reader: &SourceReader<'_>,
    context: &IndexContext<'_>,
    edges: &Edges,
    direction: Direction,
    request: &Request,
) -> UsePage {
    let Counts { proved, inferred, possible, unresolved, outside, withheld, local, other, namesakes } =
        edges.counts;
    let (offset, limit) = (request.offset, request.limit);
    let shown =
        edges.edges.iter().skip(offset).take(limit).map(|edge| shown(reader, context, edge, direction));
    let uses: Vec<Use> = shown.collect();
    let passed = offset.saturating_sub(edges.edges.len());
    let places = edges.unresolved.iter().skip(passed).take(limit - uses.len());
    let mut side = UsePage {
        uses,
        unresolved_places: places.map(|one| unresolved_place(reader, context, one)).collect(),
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
        same_name: namesakes,
        withheld,
    };
    side.count();
    side
}

fn unresolved_place(
    reader: &SourceReader<'_>,
    context: &IndexContext<'_>,
    one: &Unresolved,
) -> UnresolvedPlace {
    let path = context.index.file(one.file).path.to_string();
    let (line, text) = reader.place(&path, one.place);
    let within = one.from.map(|at| context.index.text(context.index.symbol(at).qualified).to_owned());
    UnresolvedPlace { within, path, line, text, usage: one.usage }
}

fn shown(reader: &SourceReader<'_>, context: &IndexContext<'_>, edge: &Edge, direction: Direction) -> Use {
    let other: Option<At> = match direction {
        Direction::In => edge.from,
        Direction::Out => Some(edge.to),
    };
    let path = context.index.file(edge.file).path.to_string();
    let (line, text) = reader.place(&path, edge.place);
    Use {
        symbol: other.map(|at| reader.symbol(at)),
        path,
        line,
        text,
        usage: edge.usage,
        how: edge.how,
        sure: edge.sure,
    }
}

impl UsePage {
    fn weight(&self) -> usize {
        let uses: usize = self.uses.iter().map(Use::weight).sum();
        uses + self.unresolved_places.iter().map(UnresolvedPlace::weight).sum::<usize>()
    }

    /// Keeps the first uses and unresolved occurrences, as many as fit into `room` bytes.
    fn cut(&mut self, room: usize) {
        let mut budget = ByteBudget::new(room);
        let uses = budget.count(self.uses.iter().map(Use::weight));
        let places = budget.count(self.unresolved_places.iter().map(UnresolvedPlace::weight));
        self.uses.truncate(uses);
        self.unresolved_places.truncate(places);
        self.count();
    }

    /// Computes the offset of the next page.
    fn count(&mut self) {
        let next = self.offset + self.shown();
        // If nothing fits on this page, the next page would have the same offset, so no next page is offered.
        self.next_offset = Some(next).filter(|next| *next < self.total() && *next > self.offset);
    }

    /// Returns the number of uses and unresolved occurrences on this page.
    #[must_use]
    pub fn shown(&self) -> usize {
        self.uses.len() + self.unresolved_places.len()
    }

    /// Returns the number of uses and unresolved occurrences on all pages.
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
