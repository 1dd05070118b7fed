//! Checks that every crate has a README, and that the crates for other programs open with an example.

use super::Finding;
use crate::tree::{Source, Tree};

/// The crates that other programs use; docs/stability.md lists them.
const PUBLIC: [&str; 4] = ["engine", "mcp-server", "tool", "toolpost"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files().filter_map(|file| wrong(tree, file)).collect()
}

fn wrong(tree: &Tree, file: &Source) -> Option<Finding> {
    let name =
        file.path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml").filter(|name| !name.contains('/'))?;
    let readme = format!("crates/{name}/README.md");
    if tree.file(&readme).is_none() {
        return Some(Finding {
            path: readme,
            line: 1,
            what: format!("the crate `{name}` has no README"),
            why: "a reader of the list of crates opens the README first",
            next: "write what the crate holds, what it must never do, its main types and its tests, in six lines",
        });
    }
    let library = format!("crates/{name}/src/lib.rs");
    let mut opening = tree.file(&library)?.text.lines().take_while(|line| line.starts_with("//!"));
    if !PUBLIC.contains(&name) || opening.any(|line| line == "//! ```") {
        return None;
    }
    Some(Finding {
        path: library,
        line: 1,
        what: format!("the documentation of the crate `{name}` has no example"),
        why: "a user of the crate begins with its example, and a doctest keeps it correct",
        next: "add a code block to the `//!` lines",
    })
}
