//! Limits the length of functions (60 lines of code), and warns of long files (700 lines without tests).

use super::{Finding, rust};
use crate::tree::{Source, Tree};

/// Number of lines of a file, not counting its tests, beyond which it probably holds two units.
const FILE: usize = 700;
/// Maximum number of lines of code in a function.
const FUNCTION: usize = 60;

/// Finds long files. They are only worth a look: a unit may need that many lines, and half a unit in another file is
/// harder to read.
pub(super) fn long_files(tree: &Tree) -> Vec<Finding> {
    let files = tree.rust().filter(|file| !file.is_test());
    let sizes = files.map(|file| (file, rust::shipped(&file.text).lines().count()));
    let finding = |(file, lines): (&Source, usize)| Finding {
        path: file.path.clone(),
        line: FILE + 1,
        what: format!("the file has {lines} lines outside its tests, more than {FILE}"),
        why: "a file this long usually holds two units",
        next: "split it if one unit ends and another begins; leave it if it is one unit",
    };
    sizes.filter(|(_, lines)| *lines > FILE).map(finding).collect()
}

/// Finds functions with more lines than allowed.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust().filter(|file| !file.is_test()) {
        let shipped = rust::shipped(&file.text);
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
