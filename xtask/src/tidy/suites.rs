//! Checks that `tests/suite.rs` lists every test file, because Cargo does not find them in a crate with a
//! suite.

use super::{Finding, rust};
use crate::tree::{Source, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let suites = tree.files().filter(|file| file.path.ends_with("/tests/suite.rs"));
    suites.flat_map(|suite| unlisted(tree, suite)).collect()
}

fn unlisted(tree: &Tree, suite: &Source) -> Vec<Finding> {
    let folder = suite.path.trim_end_matches("suite.rs");
    let code = rust::scan(&suite.text).code;
    let mut findings = Vec::new();
    for file in tree.files() {
        let name = file.path.strip_prefix(folder).and_then(|name| name.strip_suffix(".rs"));
        let Some(name) = name.filter(|name| !name.contains('/') && *name != "suite") else { continue };
        if !code.lines().any(|line| line.trim() == format!("mod {name};")) {
            findings.push(Finding {
                path: suite.path.clone(),
                line: 1,
                what: format!("`{name}.rs` is not a module of the crate's tests/suite.rs"),
                why: "its tests never run",
                next: "add `mod NAME;`",
            });
        }
    }
    findings
}
