//! No operation takes a path that `workspace` did not make.

use super::{Finding, rust};
use crate::tree::Tree;

/// Where the operations stand.
const OPERATIONS: &str = "crates/engine/src/operations";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let operations = tree.rust().filter(|file| file.path.starts_with(OPERATIONS));
    let mut findings = Vec::new();
    for file in operations {
        let code = rust::scan(rust::shipped(&file.text)).code;
        let lines = code.lines().enumerate().filter(|(_, line)| rust::word(line, "PathBuf").is_some());
        findings.extend(lines.map(|(at, _)| Finding {
            path: file.path.clone(),
            line: at + 1,
            what: "`PathBuf` in an operation".to_owned(),
            why: "only a `WorkspacePath` is known to stay inside the roots",
            next: "take a `WorkspacePath`, and show it with `display()`",
        }));
    }
    findings
}
