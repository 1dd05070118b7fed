//! Limits the length of files (700 lines without tests) and of functions (60 lines of code).

use super::{Finding, rust};
use crate::tree::Tree;

/// Maximum number of lines in a file, not counting its tests.
const FILE: usize = 700;
/// Maximum number of lines of code in a function.
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
                why: "a file this long usually holds two units",
                next: "split it where one unit ends and the next begins",
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
                why: "a reader should see a whole function at once",
                next: "extract its steps into named functions",
            }
        }));
    }
    findings
}
