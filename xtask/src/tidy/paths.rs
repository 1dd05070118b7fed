//! Checks that operations take only paths that the crate `workspace` has created.

use super::{Finding, rust};
use crate::tree::Tree;

/// Directory of the operations, with one directory for each capability.
const ENGINE: &str = "crates/engine/src/";
/// Files whose paths come from the operator or from another program, not from a call.
const FOREIGN: [&str; 10] = [
    "code/mod.rs",
    "code/navigate/ask.rs",
    "code/navigate/check.rs",
    "commands/file_notes.rs",
    "commands/mod.rs",
    "commands/refusal.rs",
    "engine.rs",
    "search/mod.rs",
    "search/retrieve/packages.rs",
    "skills/mod.rs",
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let operations = tree
        .rust()
        .filter(|file| file.path.strip_prefix(ENGINE).is_some_and(|path| !FOREIGN.contains(&path)));
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
