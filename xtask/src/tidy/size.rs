//! No file over 400 lines, no function over 60: what does not fit on a screen is not read.

use super::{Finding, rust};
use crate::tree::Tree;

/// How many lines a file may have, without its tests.
const FILE: usize = 400;
/// How many lines of code a function may have.
const FUNCTION: usize = 60;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust().filter(|file| !file.is_test()) {
        let shipped = rust::shipped(&file.text);
        let lines = shipped.lines().count();
        if lines > FILE {
            findings.push(Finding {
                path: file.path.clone(),
                line: FILE + 1,
                what: format!("the file has {lines} lines outside its tests; {FILE} are allowed"),
                why: "a file is one thing, and is read whole",
                next: "split it by what it does; the first sentence of each part says what that is",
            });
        }
        let functions = rust::functions(&rust::scan(shipped).code);
        findings.extend(functions.into_iter().filter(|function| function.lines > FUNCTION).map(|function| {
            Finding {
                path: file.path.clone(),
                line: function.line,
                what: format!(
                    "`{}` has {} lines of code; {FUNCTION} are allowed",
                    function.name, function.lines
                ),
                why: "a function is read in one glance",
                next: "take out the steps as functions with names of their own",
            }
        }));
    }
    findings
}
