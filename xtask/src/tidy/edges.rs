//! Checks the dependencies of each crate: other crates of this repository by a table, and forbidden
//! third-party crates.

use super::{
    Finding,
    dependencies::{Use, dependencies},
};
use crate::tree::{Source, Tree};
use toml::Table;

/// A crate of this repository, the crates of this repository that it may depend on, and the third-party crates
/// that it must not use.
struct Edge {
    name: &'static str,
    may: &'static [&'static str],
    must_not: &'static [&'static str],
}

/// Crates for protocols, command lines and JSON.
const OUTSIDE: &[&str] = &["serde_json", "rmcp", "clap", "axum", "hyper", "reqwest", "tracing-subscriber"];
/// Crates for input and output, protocols and command lines.
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
/// Crates for protocols and command lines; JSON is allowed.
const FRONTS: &[&str] = &["rmcp", "clap", "axum", "hyper", "reqwest"];
/// Crates that would bypass the crates for files, processes and network.
const DOORS: &[&str] = &["rmcp", "clap", "axum", "hyper", "reqwest", "rustix", "cap-std", "ignore", "tokio"];

const LIBRARIES: &[&str] = &[
    "text",
    "workspace",
    "packages",
    "policy",
    "process",
    "net",
    "documents",
    "trigrams",
    "search",
    "syntax",
    "index-lifecycle",
    "symbols",
    "ranked",
    "lsp",
    "script",
];

/// The allowed dependencies of each crate of this repository; a crate without a row is an error.
const EDGES: &[Edge] = &[
    Edge { name: "test-rows", may: &[], must_not: WORLD },
    Edge { name: "text", may: &[], must_not: WORLD },
    Edge { name: "workspace", may: &["text"], must_not: FRONTS },
    Edge { name: "policy", may: &["text", "workspace", "net", "shell"], must_not: FRONTS },
    Edge { name: "packages", may: &["text", "workspace"], must_not: FRONTS },
    Edge { name: "sandbox", may: &[], must_not: OUTSIDE },
    Edge { name: "process", may: &["text", "sandbox"], must_not: FRONTS },
    Edge { name: "net", may: &[], must_not: &["rmcp", "clap"] },
    Edge {
        name: "documents",
        may: &[],
        must_not: &["rmcp", "clap", "tokio", "rustix", "cap-std", "axum", "reqwest"],
    },
    Edge { name: "trigrams", may: &["workspace", "index-lifecycle"], must_not: OUTSIDE },
    Edge { name: "search", may: &["text", "workspace", "trigrams"], must_not: OUTSIDE },
    Edge { name: "syntax", may: &["text"], must_not: OUTSIDE },
    Edge { name: "shell", may: &["syntax"], must_not: WORLD },
    Edge { name: "index-lifecycle", may: &["workspace"], must_not: OUTSIDE },
    Edge { name: "symbols", may: &["text", "workspace", "syntax", "index-lifecycle"], must_not: FRONTS },
    Edge { name: "ranked", may: &["text", "workspace", "syntax", "index-lifecycle"], must_not: FRONTS },
    Edge {
        name: "shared-index",
        may: &["workspace", "process", "net", "trigrams", "search", "ranked"],
        must_not: FRONTS,
    },
    Edge { name: "lsp", may: &["workspace", "process"], must_not: FRONTS },
    Edge { name: "script", may: &[], must_not: FRONTS },
    Edge { name: "engine", may: LIBRARIES, must_not: OUTSIDE },
    Edge { name: "tool", may: &["text", "workspace", "engine"], must_not: FRONTS },
    Edge { name: "dialects", may: &["text", "engine", "tool"], must_not: DOORS },
    Edge { name: "runtime", may: &["text", "workspace", "policy", "engine", "tool"], must_not: FRONTS },
    Edge { name: "agent", may: &["text", "workspace", "engine", "runtime"], must_not: &["rmcp", "clap"] },
    Edge {
        name: "acp",
        may: &["text", "workspace", "process", "engine", "runtime", "agent"],
        must_not: &["rmcp", "clap"],
    },
    Edge { name: "mcp-client", may: &["text", "process", "net", "engine", "runtime"], must_not: &["clap"] },
    Edge { name: "nvim", may: &["text", "process", "engine"], must_not: FRONTS },
    Edge { name: "mcp-server", may: &["engine", "tool", "runtime"], must_not: &["clap"] },
    Edge {
        name: "toolpost",
        may: &[
            "text",
            "workspace",
            "net",
            "shared-index",
            "engine",
            "tool",
            "dialects",
            "runtime",
            "agent",
            "acp",
            "mcp-client",
            "nvim",
        ],
        must_not: FRONTS,
    },
    Edge {
        name: "cli",
        may: &[
            "toolpost",
            "text",
            "workspace",
            "shared-index",
            "engine",
            "tool",
            "dialects",
            "runtime",
            "agent",
            "acp",
            "mcp-server",
        ],
        must_not: &["rmcp"],
    },
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files().flat_map(manifest).collect()
}

/// Reports dependencies that `EDGES` allows but no manifest has.
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
            what: format!("`EDGES` allows `{}` to depend on `{unused}`, but it does not", edge.name),
            why: "an unused entry would allow adding a dependency without a decision",
            next: "remove it from the row in xtask/src/tidy/edges.rs",
        }));
    }
    findings
}

/// Returns the directory of the crate whose manifest a file is; `None` for other files.
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
        why: "the layers stay separate only if each dependency is decided on; ARCHITECTURE.md shows them",
        next,
    };
    let Some(edge) = EDGES.iter().find(|edge| edge.name == folder) else {
        let what = format!("the crate `{folder}` has no row in the table of dependencies, `EDGES`");
        return vec![finding(
            1,
            what,
            "add a row for the crate to xtask/src/tidy/edges.rs, and add the crate to ARCHITECTURE.md",
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
                let what = format!("`{folder}` depends on `{own}`, which the design does not allow");
                findings.push(finding(
                    line,
                    what,
                    "use it through a crate that this one may depend on, or move the code to a crate that may depend on it",
                ));
            }
            None if edge.must_not.contains(&name.as_str()) => {
                let what = format!("`{folder}` depends on `{name}`, which it must not use");
                findings.push(finding(line, what, "use the crate of this repository that wraps it"));
            }
            _ => {}
        }
    }
    findings
}

/// Returns the names of the dependencies that are shipped with a crate; those of its tests are not
/// restricted.
fn shipped(manifest: &Table) -> Vec<String> {
    let shipped = dependencies(manifest).into_iter().filter(|(_, usage)| *usage == Use::Shipped);
    shipped.map(|(name, _)| name).collect()
}

/// Returns the directory name of the crate that a dependency names; `None` for a third-party crate.
fn crate_of(dependency: &str) -> Option<&str> {
    if dependency == "toolpost" { Some(dependency) } else { dependency.strip_prefix("toolpost-") }
}
