//! Answers questions about a workspace's code, a line each, and says how long each took: `ask ROOT [CACHE]`.
//!
//! A question is a verb and what it is about: `build`, `find NAME`, `id NAME`, `callers NAME`, `callees NAME`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a tool of the house that never ships")]

use std::io::BufRead;
use std::path::PathBuf;
use std::time::Instant;

use toolpost_index::{At, Direction, Graph, Index, Relation, Resolved, Wanted};
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

/// Gives the id of the first symbol of a name, which is what a caller has from an earlier answer.
fn id(index: &Index, name: &str) -> String {
    let graph = index.graph(&|| false).unwrap();
    let hits = graph.find(&Wanted { query: name, kinds: &[], limit: 1 }, &|_| true);
    hits.hits.first().map(|hit| graph.id(hit.at)).unwrap_or_default()
}

/// Brings the index up to date, asks it, and gives how many there are.
fn answer(index: &Index, verb: &str, about: &str, id: &str) -> usize {
    let graph = index.graph(&|| false).unwrap();
    let edges = |direction| {
        let of = |at: At| graph.edges(at, direction, Relation::Call, &|_| true).edges.len();
        here(&graph, id).map_or(0, of)
    };
    match verb {
        "build" => graph.files().count(),
        "find" => graph.find(&Wanted { query: about, kinds: &[], limit: 20 }, &|_| true).total,
        "id" => usize::from(here(&graph, id).is_some()),
        "callers" => edges(Direction::In),
        "callees" => edges(Direction::Out),
        _ => 0,
    }
}

fn here(graph: &Graph, id: &str) -> Option<At> {
    match graph.by_id(id, &|_| true) {
        Resolved::Here(at) => Some(at),
        _ => None,
    }
}
