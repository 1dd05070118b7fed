//! `cargo xtask tidy`: the repository's own checks.

mod allowances;
mod circles;
mod dependencies;
mod edges;
pub(crate) mod links;
mod machine;
mod opening;
mod paths;
pub mod prose;
mod rust;
mod size;
mod space;
mod suites;
mod tool_names;

use crate::{House, Verdict, disk, say, tree::Tree};
use anyhow::Result;
use std::fmt;

/// A place where a rule is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file, from the repository's root.
    pub path: String,
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
    /// Why that is a rule.
    pub why: &'static str,
    /// What to do.
    pub next: &'static str,
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{}:{}: {}\n    why:  {}\n    next: {}",
            self.path, self.line, self.what, self.why, self.next
        )
    }
}

type Check = fn(&Tree) -> Vec<Finding>;

/// The checks, in the order in which they report.
pub const CHECKS: &[(&str, Check)] = &[
    ("size", size::check),
    ("opening", opening::check),
    ("tool names", tool_names::check),
    ("paths", paths::check),
    ("edges", edges::check),
    ("dependencies", dependencies::check),
    ("unused edges", edges::unused),
    ("circles", circles::check),
    ("suites", suites::check),
    ("links", links::check),
    ("allowances", allowances::check),
    ("space", space::check),
    ("machine", machine::check),
    ("prose", prose::check),
];

/// Checks the repository and prints the findings. With `--ratchet`, writes the lower counts of the prose check first.
///
/// # Errors
/// When the files cannot be read, or the counts cannot be written.
pub fn run(house: &House, arguments: &[String]) -> Result<Verdict> {
    let mut tree = Tree::of_house(house)?;
    if arguments.iter().any(|argument| argument == "--ratchet") {
        disk::write(&house.path(prose::BASELINE), prose::ratchet(&tree).as_bytes())?;
        tree = Tree::of_house(house)?;
    }
    let findings = check(&tree);
    findings.iter().for_each(|finding| say::line(&finding.to_string()));
    let files = tree.files().count();
    say::line(&format!("tidy: {} checks over {files} files, {} findings", CHECKS.len(), findings.len()));
    Ok(if findings.is_empty() { Verdict::Good } else { Verdict::Bad })
}

/// Runs every check over a tree.
#[must_use]
pub fn check(tree: &Tree) -> Vec<Finding> {
    CHECKS.iter().flat_map(|(_, check)| check(tree)).collect()
}
