//! The crates depend on one another in one direction, and some dependencies are not theirs to have.

use super::{
    Finding,
    dependencies::{Use, dependencies},
};
use crate::tree::{Source, Tree};
use toml::Table;

/// A crate: which of the house's crates it may use, and which foreign ones it must not.
struct Edge {
    name: &'static str,
    may: &'static [&'static str],
    must_not: &'static [&'static str],
}

/// What speaks a protocol or a command line, and the JSON that they speak.
const OUTSIDE: &[&str] = &["serde_json", "rmcp", "clap", "axum", "hyper", "reqwest", "tracing-subscriber"];
/// What does input and output, or waits for it.
const WORLD: &[&str] = &[
    "serde_json",
    "rmcp",
    "clap",
    "tokio",
    "tokio-util",
    "rustix",
    "cap-std",
    "ignore",
    "axum",
    "hyper",
    "reqwest",
    "tempfile",
];
/// What speaks a protocol or a command line; JSON is theirs to use.
const FRONTS: &[&str] = &["rmcp", "clap", "axum", "hyper", "reqwest"];
/// What goes around the doors.
const DOORS: &[&str] = &["rmcp", "clap", "axum", "hyper", "reqwest", "rustix", "cap-std", "ignore", "tokio"];

const LIBRARIES: &[&str] = &[
    "text",
    "workspace",
    "packages",
    "policy",
    "process",
    "net",
    "documents",
    "grams",
    "search",
    "syntax",
    "index",
    "lsp",
    "script",
];

/// The edges of the design; a crate that is not listed may not exist.
const EDGES: &[Edge] = &[
    Edge { name: "text", may: &[], must_not: WORLD },
    Edge { name: "workspace", may: &["text"], must_not: FRONTS },
    Edge { name: "policy", may: &["text", "workspace", "net", "shell"], must_not: FRONTS },
    Edge { name: "packages", may: &["text", "workspace"], must_not: FRONTS },
    Edge { name: "process", may: &["text"], must_not: FRONTS },
    Edge { name: "net", may: &[], must_not: &["rmcp", "clap"] },
    Edge {
        name: "documents",
        may: &[],
        must_not: &["rmcp", "clap", "tokio", "rustix", "cap-std", "axum", "reqwest"],
    },
    Edge { name: "grams", may: &["workspace"], must_not: OUTSIDE },
    Edge { name: "search", may: &["text", "workspace", "grams"], must_not: OUTSIDE },
    Edge { name: "syntax", may: &["text"], must_not: OUTSIDE },
    Edge { name: "shell", may: &["syntax"], must_not: WORLD },
    Edge { name: "index", may: &["text", "workspace", "syntax"], must_not: FRONTS },
    Edge {
        name: "shared",
        may: &["workspace", "process", "net", "grams", "search", "index"],
        must_not: FRONTS,
    },
    Edge { name: "lsp", may: &["workspace", "process"], must_not: FRONTS },
    Edge { name: "script", may: &[], must_not: FRONTS },
    Edge { name: "engine", may: LIBRARIES, must_not: OUTSIDE },
    Edge { name: "tool", may: &["text", "workspace", "engine"], must_not: FRONTS },
    Edge { name: "dialects", may: &["text", "engine", "tool"], must_not: DOORS },
    Edge { name: "runtime", may: &["text", "workspace", "policy", "engine", "tool"], must_not: FRONTS },
    Edge {
        name: "agent",
        may: &["text", "workspace", "process", "net", "engine", "runtime"],
        must_not: &["clap"],
    },
    Edge { name: "serve", may: &["engine", "tool", "runtime"], must_not: &["clap"] },
    Edge {
        name: "toolpost",
        may: &["text", "workspace", "net", "shared", "engine", "tool", "dialects", "runtime", "agent"],
        must_not: FRONTS,
    },
    Edge {
        name: "cli",
        may: &[
            "toolpost",
            "text",
            "workspace",
            "shared",
            "engine",
            "tool",
            "dialects",
            "runtime",
            "agent",
            "serve",
        ],
        must_not: &["rmcp"],
    },
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files().flat_map(manifest).collect()
}

/// Reports edges that the table allows and no manifest has, so that the table draws the crates as they are.
pub(super) fn unused(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files() {
        let Some(edge) = EDGES.iter().find(|edge| folder(file) == Some(edge.name)) else { continue };
        let Ok(manifest) = toml::from_str::<Table>(&file.text) else { continue };
        let names = shipped(&manifest);
        let unused = edge.may.iter().filter(|may| !names.iter().any(|name| crate_of(name) == Some(may)));
        findings.extend(unused.map(|unused| Finding {
            path: file.path.clone(),
            line: 1,
            what: format!("the table allows `{}` to depend on `{unused}`, and it does not", edge.name),
            why: "an edge that nobody uses is one that somebody adds without a decision",
            next: "remove the edge from xtask/src/tidy/edges.rs",
        }));
    }
    findings
}

/// Returns the directory of a crate, if a file is its manifest.
fn folder(file: &Source) -> Option<&str> {
    let folder = file.path.strip_prefix("crates/").and_then(|rest| rest.strip_suffix("/Cargo.toml"));
    folder.filter(|folder| !folder.contains('/'))
}

fn manifest(file: &Source) -> Vec<Finding> {
    let Some(folder) = folder(file) else { return Vec::new() };
    let finding = |line: usize, what: String, next| Finding {
        path: file.path.clone(),
        line,
        what,
        why: "what a crate cannot reach it cannot come to depend on; ARCHITECTURE.md draws the edges",
        next,
    };
    let Some(edge) = EDGES.iter().find(|edge| edge.name == folder) else {
        let what = format!("the crate `{folder}` is not in the table of edges");
        return vec![finding(
            1,
            what,
            "add its row to xtask/src/tidy/edges.rs, and say so in ARCHITECTURE.md",
        )];
    };
    let manifest: Table = match toml::from_str(&file.text) {
        Ok(manifest) => manifest,
        Err(error) => return vec![finding(1, format!("the manifest cannot be read: {error}"), "correct it")],
    };
    let mut findings = Vec::new();
    for name in shipped(&manifest) {
        let line = file.text.lines().position(|line| line.starts_with(&name)).map_or(1, |at| at + 1);
        match crate_of(&name) {
            Some(own) if !edge.may.contains(&own) => {
                let what = format!("`{folder}` depends on `{own}`, which is no edge of the design");
                findings.push(finding(
                    line,
                    what,
                    "ask the crate between them, or move the code to where it may know",
                ));
            }
            None if edge.must_not.contains(&name.as_str()) => {
                let what = format!("`{folder}` depends on `{name}`, which it must not know");
                findings.push(finding(line, what, "leave it to the crate whose business it is"));
            }
            _ => {}
        }
    }
    findings
}

/// Returns the names of the dependencies that are shipped with a crate; those of its tests are free.
fn shipped(manifest: &Table) -> Vec<String> {
    let shipped = dependencies(manifest).into_iter().filter(|(_, usage)| *usage == Use::Shipped);
    shipped.map(|(name, _)| name).collect()
}

/// Returns the crate of the repository that a dependency is, by the name of its directory.
fn crate_of(dependency: &str) -> Option<&str> {
    if dependency == "toolpost" { Some(dependency) } else { dependency.strip_prefix("toolpost-") }
}
