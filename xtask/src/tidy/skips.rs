//! Checks that tests that cannot run on a machine are skipped by one function, which fails in a strict run.

use super::Finding;
use crate::tree::Tree;

/// Words with which a test reports that it is skipped.
const WORDS: [&str; 2] = ["\"SKIPPED", "\"skipped:"];
/// Directories of that function, and of the program that reads its output.
const EXEMPT: [&str; 2] = ["crates/test-rows/", "xtask/"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let files = tree.rust().filter(|file| !EXEMPT.iter().any(|folder| file.path.starts_with(folder)));
    let lines = files.flat_map(|file| {
        file.text.lines().enumerate().map(move |(at, line)| (file.path.as_str(), at + 1, line))
    });
    let printed = lines.filter(|(_, _, line)| WORDS.iter().any(|word| line.contains(word)));
    let finding = |path: &str, line: usize| Finding {
        path: path.to_owned(),
        line,
        what: "a test prints that it is skipped".to_owned(),
        why: "it passes without a test, also with `cargo xtask test --strict`",
        next: "call `skip` of toolpost-test-rows, which fails in a strict run",
    };
    printed.map(|(path, line, _)| finding(path, line)).collect()
}
