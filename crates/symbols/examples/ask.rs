//! Reads queries about the code of a workspace from standard input, one per line: `ask ROOT [CACHE]`.
//!
//! For each query, prints the time in nanoseconds and the number of results.
//!
//! The queries are `build`, `find NAME`, `id NAME`, `callers NAME` and `callees NAME`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark that is not part of the product")]

use std::io::BufRead;
use std::path::PathBuf;
use std::time::Instant;

use toolpost_symbols::{At, Direction, Graph, IdLookup, Index, Relation, SymbolQuery};
use toolpost_workspace::{Options, Workspace};

fn main() {
    let mut arguments = std::env::args().skip(1).map(PathBuf::from);
    let root = arguments.next().unwrap();
    let (workspace, _) = Workspace::open(Options { roots: vec![root], ..Options::default() }).unwrap();
    let index = Index::new(workspace, arguments.next());
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let (verb, about) = line.split_once(' ').unwrap_or((&line, ""));
        let id = match verb {
            "find" | "build" => String::new(),
            _ => id(&index, about),
        };
        let begin = Instant::now();
        let count = answer(&index, verb, about, &id);
        println!("{} {count}", begin.elapsed().as_nanos());
    }
}

/// Returns the id of the first symbol with a name. It is looked up before the measurement, because callers know the id
/// from an earlier answer.
fn id(index: &Index, name: &str) -> String {
    let graph = index.graph(&|| false).unwrap();
    let hits = graph.find(&SymbolQuery { query: name, kinds: &[], limit: 1 }, &|_| true);
    hits.hits.first().map(|hit| graph.id(hit.at)).unwrap_or_default()
}

/// Updates the index, runs a query, and returns the number of results.
fn answer(index: &Index, verb: &str, about: &str, id: &str) -> usize {
    let graph = index.graph(&|| false).unwrap();
    let edges = |direction| {
        let of = |at: At| graph.edges(at, direction, Relation::Call, &|_| true).edges.len();
        here(&graph, id).map_or(0, of)
    };
    match verb {
        "build" => graph.files().count(),
        "find" => graph.find(&SymbolQuery { query: about, kinds: &[], limit: 20 }, &|_| true).total,
        "id" => usize::from(here(&graph, id).is_some()),
        "callers" => edges(Direction::In),
        "callees" => edges(Direction::Out),
        _ => 0,
    }
}

fn here(graph: &Graph, id: &str) -> Option<At> {
    match graph.by_id(id, &|_| true) {
        IdLookup::Here(at) => Some(at),
        _ => None,
    }
}
