//! `symbol_search`, `symbol_resolve` and `symbol_graph`: symbols of the project and their uses.

use super::json;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolpost_engine::{
    Failure, Hint, Kind,
    operations::{
        relations::{self, Relation, UsePage},
        symbol::{self, SymbolRef},
        symbols::{self, Symbol},
    },
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct SymbolSearch;
pub(super) struct SymbolResolve;
pub(super) struct SymbolGraph;

#[derive(Deserialize, JsonSchema)]
pub(super) struct SearchArgs {
    #[schemars(extend("x-aliases" = ["name", "pattern"], "examples" = ["Cart.total"]))]
    query: String,
    /// File or directory.
    #[schemars(extend("x-aliases" = ["file", "file_path"], "examples" = ["src/cart.py"]))]
    path: Option<String>,
    /// Such as function, class or struct.
    #[schemars(extend("x-aliases" = ["symbol_type"], "examples" = ["function"]))]
    kind: Option<String>,
    #[serde(default = "twenty")]
    #[schemars(extend("x-raise" = true), range(min = 1, max = 100))]
    limit: usize,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ResolveArgs {
    #[schemars(extend("x-aliases" = ["id"], "examples" = ["python:src/cart.py#Cart.total(function)"]))]
    symbol_id: Option<String>,
    /// File of the symbol.
    #[schemars(extend("x-aliases" = ["file", "file_path"], "examples" = ["src/cart.py"]))]
    path: Option<String>,
    /// Such as `Cart.total`.
    #[schemars(extend("examples" = ["Cart.total"]))]
    qualified_name: Option<String>,
    #[schemars(extend("examples" = ["total"]))]
    name: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct GraphArgs {
    #[schemars(extend("x-aliases" = ["id"], "examples" = ["python:src/cart.py#Cart.total(function)"]))]
    symbol_id: Option<String>,
    /// File of the symbol.
    #[schemars(extend("x-aliases" = ["file", "file_path"], "examples" = ["src/cart.py"]))]
    path: Option<String>,
    /// Such as `Cart.total`.
    #[schemars(extend("examples" = ["Cart.total"]))]
    qualified_name: Option<String>,
    #[schemars(extend("examples" = ["total"]))]
    name: Option<String>,
    /// call, import, inherit (extends, implements), type, or usage for all.
    #[serde(default = "call")]
    #[schemars(extend("x-aliases" = ["edge_kind", "kind"]))]
    relationship_type: String,
    /// Uses per direction.
    #[serde(default = "twenty")]
    #[schemars(extend("x-raise" = true), range(min = 1, max = 100))]
    limit: usize,
    /// Uses to skip per direction.
    #[serde(default)]
    #[schemars(extend("x-raise" = true, "x-aliases" = ["skip"]))]
    offset: usize,
}

/// The accepted relations, each with its synonyms.
const RELATIONS: [(Relation, &[&str]); 5] = [
    (Relation::Call, &["calls"]),
    (Relation::Import, &["imports"]),
    (Relation::Inherit, &["inherits", "extends", "extend", "implements", "implement"]),
    (Relation::Type, &["types"]),
    (Relation::Usage, &["usages", "use", "uses", "reference", "references", "all"]),
];

/// Maximum number of symbols or uses in a reply, as the schemas of zblade's own tools fix it.
const MOST: usize = 100;

const fn twenty() -> usize {
    20
}

fn call() -> String {
    "call".to_owned()
}

#[derive(Serialize)]
struct Node<'a> {
    symbol_id: &'a str,
    name: &'a str,
    qualified_name: &'a str,
    kind: &'a str,
    path: &'a str,
    start_line: u32,
    end_line: u32,
    signature: &'a str,
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    fit: Option<&'a str>,
    /// Id of the symbol in the source file from which this symbol's file was compiled.
    #[serde(skip_serializing_if = "Option::is_none")]
    built_from: Option<&'a str>,
}

#[derive(Serialize)]
struct SearchReply<'a> {
    results: Vec<Node<'a>>,
    total: usize,
    truncated: bool,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    did_you_mean: &'a [String],
    searched: String,
}

#[derive(Serialize)]
struct SymbolReply<'a> {
    symbol: Node<'a>,
    language: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_from: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    known_again_by: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<Node<'a>>,
    children: Vec<Node<'a>>,
    child_count: usize,
}

#[derive(Serialize)]
struct GraphReply<'a> {
    symbol: Node<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_from: Option<&'a str>,
    relationship_type: &'a str,
    incoming: Vec<Edge<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    incoming_unresolved: Vec<UnresolvedOccurrence<'a>>,
    incoming_counts: Counts,
    outgoing: Vec<Edge<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outgoing_unresolved: Vec<UnresolvedOccurrence<'a>>,
    outgoing_counts: Counts,
    searched: String,
}

#[derive(Serialize)]
struct Edge<'a> {
    /// Location of the use: `path:line`.
    at: String,
    code: &'a str,
    usage: &'a str,
    how: &'a str,
    sure: &'a str,
    symbol: Option<Node<'a>>,
}

/// An occurrence of a name that could not be resolved.
#[derive(Serialize)]
struct UnresolvedOccurrence<'a> {
    at: String,
    code: &'a str,
    usage: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    within: Option<&'a str>,
}

#[derive(Serialize)]
struct Counts {
    proved: usize,
    inferred: usize,
    possible: usize,
    unresolved: usize,
    /// True only if all uses are known: none is unresolved, withheld, a call through a variable, or in an
    /// unindexed file.
    complete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    outside_of_project: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    through_variables: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other_places: Option<usize>,
    /// Number of uses of other symbols with the same name.
    #[serde(skip_serializing_if = "Option::is_none")]
    same_name: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    withheld: Option<usize>,
}

impl Tool for SymbolSearch {
    const NAME: &'static str = "symbol_search";
    type Op = symbols::Symbols;
    type Args = SearchArgs;

    fn lower(args: SearchArgs, at: &Lowering) -> Result<symbols::Request, Failure> {
        if args.query.trim().is_empty() {
            return Err(Failure::invalid("query is empty; give a name or a part of one."));
        }
        Ok(symbols::Request {
            query: args.query,
            base: args.path.as_deref().map(|said| at.path(said)).transpose()?,
            kind: args.kind.filter(|kind| !kind.trim().is_empty()),
            limit: args.limit,
            max_bytes: json::room(at),
        })
    }

    fn render(output: &symbols::Output, page: &mut Page) {
        let results = output.symbols.iter().map(|hit| Node {
            fit: Some(&hit.fit),
            built_from: hit.built_from.as_deref(),
            ..node(&hit.symbol)
        });
        let (shown, total) = (output.symbols.len(), output.total);
        let found = SearchReply {
            results: results.collect(),
            total,
            truncated: shown < total,
            did_you_mean: &output.near,
            searched: output.searched.words(),
        };
        json::write(&found, page);
        if shown < total {
            let limit = if shown < MOST { ", or raise limit" } else { "" };
            page.note(format!(
                "{shown} of {total} symbols are shown; give more of the name, a kind or a path{limit}"
            ));
        }
    }
}

impl Tool for SymbolResolve {
    const NAME: &'static str = "symbol_resolve";
    type Op = symbol::Symbol;
    type Args = ResolveArgs;

    fn lower(args: ResolveArgs, at: &Lowering) -> Result<symbol::Request, Failure> {
        let which = which(args.symbol_id, args.path, args.qualified_name.or(args.name), at)?;
        Ok(symbol::Request { which, max_bytes: json::room(at) })
    }

    fn render(output: &symbol::Output, page: &mut Page) {
        let moved = output.moved.as_ref();
        let resolved = SymbolReply {
            symbol: node(&output.symbol),
            language: &output.language,
            moved_from: moved.map(|moved| moved.id.as_str()),
            known_again_by: moved.map(|moved| moved.by.as_str()),
            parent: output.parent.as_ref().map(node),
            children: output.inside.iter().map(node).collect(),
            child_count: output.inside_total,
        };
        json::write(&resolved, page);
        note_move(moved, &output.symbol, page);
        if output.inside.len() < output.inside_total {
            page.note(format!("{} of {} children are shown", output.inside.len(), output.inside_total));
        }
    }
}

impl Tool for SymbolGraph {
    const NAME: &'static str = "symbol_graph";
    type Op = relations::Relations;
    type Args = GraphArgs;

    fn lower(args: GraphArgs, at: &Lowering) -> Result<relations::Request, Failure> {
        let which = which(args.symbol_id, args.path, args.qualified_name.or(args.name), at)?;
        Ok(relations::Request {
            which,
            relation: relation(&args.relationship_type)?,
            limit: args.limit,
            offset: args.offset,
            max_bytes: json::room(at),
        })
    }

    fn render(output: &relations::Output, page: &mut Page) {
        let (into, out) = (&output.incoming, &output.outgoing);
        let related = GraphReply {
            symbol: node(&output.symbol),
            moved_from: output.moved.as_ref().map(|moved| moved.id.as_str()),
            relationship_type: output.relation.name(),
            incoming: edges(into),
            incoming_unresolved: places(into),
            incoming_counts: Counts { outside_of_project: some(into.outside), ..counts(into) },
            outgoing: edges(out),
            outgoing_unresolved: places(out),
            outgoing_counts: counts(out),
            searched: output.searched.words(),
        };
        json::write(&related, page);
        note_move(output.moved.as_ref(), &output.symbol, page);
        for (side, name) in [(into, "incoming"), (out, "outgoing")] {
            let (shown, total) = (side.shown(), side.total());
            if let Some(next) = side.next_offset {
                let (first, last) = (side.offset + 1, side.offset + shown);
                page.note(format!(
                    "{name} uses {first} to {last} of {total} are shown, the most certain first and the unresolved last; continue with offset {next}"
                ));
            } else if shown == 0 && side.offset < total {
                page.note(format!("the {name} uses ({total}) do not fit in the reply"));
            }
        }
    }
}

/// Determines the symbol from the arguments.
fn which(
    id: Option<String>,
    path: Option<String>,
    name: Option<String>,
    at: &Lowering,
) -> Result<SymbolRef, Failure> {
    let given = |said: Option<String>| said.filter(|said| !said.trim().is_empty());
    match (given(id), given(path), given(name)) {
        (Some(id), ..) => Ok(SymbolRef::Id(id)),
        (None, Some(said), Some(name)) => {
            Ok(SymbolRef::Named { path: at.path(&said)?, raw_path: said, name })
        }
        (None, path, name) => {
            let missing = match (path, name) {
                (Some(_), None) => "A path alone does not identify a symbol.",
                (None, Some(_)) => "A name alone may match many symbols.",
                _ => "No symbol is given.",
            };
            Err(Failure::invalid(missing).hint(Hint::Advice(
                "Give symbol_id, or path with name or qualified_name; to look for a name in all files, search for it."
                    .to_owned(),
            )))
        }
    }
}

fn note_move(moved: Option<&symbol::FormerId>, symbol: &Symbol, page: &mut Page) {
    if let Some(moved) = moved {
        page.note(format!("{} moved to {} (recognized by {})", moved.id, symbol.id, moved.by));
    }
}

fn relation(requested: &str) -> Result<Relation, Failure> {
    let word = requested.trim().to_lowercase();
    let means = |(relation, others): &&(Relation, &[&str])| {
        relation.name() == word || others.contains(&word.as_str())
    };
    RELATIONS.iter().find(means).map(|(relation, _)| *relation).ok_or_else(|| {
        let names: Vec<&str> = RELATIONS.iter().map(|(relation, _)| relation.name()).collect();
        Failure::new(Kind::Invalid, format!("{requested} is not a relation between symbols."))
            .hint(Hint::Advice(format!("Leave out the relation, or pass one of: {}.", names.join(", "))))
    })
}

fn node(symbol: &Symbol) -> Node<'_> {
    Node {
        symbol_id: &symbol.id,
        name: &symbol.name,
        qualified_name: &symbol.qualified,
        kind: symbol.kind.name(),
        path: &symbol.path,
        start_line: symbol.line,
        end_line: symbol.last_line,
        signature: &symbol.signature,
        fit: None,
        built_from: None,
    }
}

fn edges(side: &UsePage) -> Vec<Edge<'_>> {
    side.uses
        .iter()
        .map(|one| Edge {
            at: at(&one.path, one.line),
            code: &one.text,
            usage: one.usage.name(),
            how: one.how.name(),
            sure: one.sure.name(),
            symbol: one.symbol.as_ref().map(node),
        })
        .collect()
}

fn places(side: &UsePage) -> Vec<UnresolvedOccurrence<'_>> {
    side.unresolved_places
        .iter()
        .map(|one| UnresolvedOccurrence {
            at: at(&one.path, one.line),
            code: &one.text,
            usage: one.usage.name(),
            within: one.within.as_deref(),
        })
        .collect()
}

/// Formats a location: the file, and the line if known.
fn at(path: &str, line: Option<u64>) -> String {
    line.map_or_else(|| path.to_owned(), |line| format!("{path}:{line}"))
}

/// Returns a count, unless it is zero.
fn some(count: usize) -> Option<usize> {
    Some(count).filter(|count| *count > 0)
}

fn counts(side: &UsePage) -> Counts {
    Counts {
        proved: side.proved,
        inferred: side.inferred,
        possible: side.possible,
        unresolved: side.unresolved,
        complete: side.complete,
        outside_of_project: Some(side.outside),
        through_variables: some(side.through_variables),
        other_places: some(side.other_places),
        same_name: some(side.same_name),
        next_offset: side.next_offset,
        withheld: some(side.withheld),
    }
}
