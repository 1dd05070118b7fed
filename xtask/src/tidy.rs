//! `cargo xtask tidy`: checks of the rules of this repository.

mod allowances;
mod api;
mod circles;
mod counts;
mod dependencies;
mod edges;
mod errors;
mod grants;
pub(crate) mod links;
mod machine;
mod opening;
mod paths;
mod plurals;
pub mod prose;
mod readmes;
mod regressions;
mod rust;
mod size;
mod skips;
mod space;
mod statics;
mod suites;
mod tables;
mod tool_names;
pub mod type_names;

use crate::{Repository, Verdict, disk, output, tree::Tree};
use anyhow::Result;
use std::fmt;

/// A violation of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file, from the repository's root.
    pub path: String,
    /// The line of the violation, counted from 1.
    pub line: usize,
    /// Description of the violation.
    pub what: String,
    /// The reason for the rule.
    pub why: &'static str,
    /// Instruction for correcting the violation.
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
    ("plurals", plurals::check),
    ("prose", prose::check),
    ("type names", type_names::check),
    ("api", api::check),
    ("readmes", readmes::check),
    ("regressions", regressions::check),
    ("tables", tables::check),
    ("skips", skips::check),
    ("statics", statics::check),
    ("errors", errors::check),
    ("grants", grants::check),
];

/// The checks whose findings are only warnings: they are printed and do not fail.
pub const WARNINGS: &[(&str, Check)] = &[("long files", size::long_files)];

/// Checks the repository and prints the violations. With `--ratchet`, first lowers the allowed counts in
/// `xtask/prose.txt` and `xtask/type-names.txt`.
///
/// # Errors
/// If the files cannot be read, or the counts cannot be written.
pub fn run(house: &Repository, arguments: &[String]) -> Result<Verdict> {
    let mut tree = Tree::of_house(house)?;
    if arguments.iter().any(|argument| argument == "--ratchet") {
        disk::write(&house.path(prose::BASELINE), prose::ratchet(&tree).as_bytes())?;
        disk::write(&house.path(type_names::BASELINE), type_names::ratchet(&tree).as_bytes())?;
        tree = Tree::of_house(house)?;
    }
    let mut findings = check(&tree);
    findings.extend(api::unexplained(house));
    findings.iter().for_each(|finding| output::line(&finding.to_string()));
    let warnings = warnings(&tree);
    warnings.iter().for_each(|warning| output::line(&format!("warning: {warning}")));
    let (files, checks) = (tree.files().count(), CHECKS.len() + WARNINGS.len());
    output::line(&format!(
        "tidy: {checks} checks over {files} files, {} findings, {} warnings",
        findings.len(),
        warnings.len()
    ));
    Ok(if findings.is_empty() { Verdict::Good } else { Verdict::Bad })
}

/// Runs every check over a tree.
#[must_use]
pub fn check(tree: &Tree) -> Vec<Finding> {
    CHECKS.iter().flat_map(|(_, check)| check(tree)).collect()
}

/// Finds what is only worth a look.
#[must_use]
pub fn warnings(tree: &Tree) -> Vec<Finding> {
    WARNINGS.iter().flat_map(|(_, check)| check(tree)).collect()
}
