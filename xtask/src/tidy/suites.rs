//! Checks that `tests/suite.rs` and `tests/rows.rs` of a crate list all test files and tables, because Cargo does not
//! find them in a crate with a suite.

use super::{Finding, rust};
use crate::tree::{Source, Tree};

/// Attributes and macros of tests that only the standard harness runs, which is that of `suite.rs`.
const TESTS: [&str; 3] = ["#[test]", "#[tokio::test", "proptest! {"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let named = |name: &'static str| tree.files().filter(move |file| file.path.ends_with(name));
    let suites = named("/tests/suite.rs").flat_map(|suite| unlisted(tree, suite));
    let tables = tree.rust().filter(|file| file.path.contains("/tests/")).flat_map(|file| unused(tree, file));
    suites.chain(tables).collect()
}

fn unlisted(tree: &Tree, suite: &Source) -> Vec<Finding> {
    let folder = suite.path.trim_end_matches("suite.rs");
    let code = rust::scan(&suite.text).code;
    let rows = sibling(tree, folder, "rows.rs");
    let is_module = |code: &str, name: &str| code.lines().any(|line| line.trim() == format!("mod {name};"));
    let mut findings = Vec::new();
    for file in tree.files() {
        let name = file.path.strip_prefix(folder).and_then(|name| name.strip_suffix(".rs"));
        let Some(name) = name.filter(|name| !name.contains('/') && !["suite", "rows"].contains(name)) else {
            continue;
        };
        if is_module(&code, name) {
            continue;
        }
        if !rows.as_ref().is_some_and(|rows| is_module(rows, name)) {
            findings.push(Finding {
                path: suite.path.clone(),
                line: 1,
                what: format!("`{name}.rs` is not a module of the crate's tests/suite.rs"),
                why: "its tests never run",
                next: "add `mod NAME;`, or add it to tests/rows.rs if it has only tables",
            });
            continue;
        }
        let code = rust::scan(&file.text).code;
        if let Some(at) = TESTS.iter().find_map(|test| code.find(test)) {
            findings.push(Finding {
                path: file.path.clone(),
                line: code[..at].matches('\n').count() + 1,
                what: "a test is in a file that is a module of tests/rows.rs only".to_owned(),
                why: "that binary runs only tables, so the test never runs",
                next: "also add the file to tests/suite.rs",
            });
        }
    }
    findings
}

/// Returns the tables of a file that the crate's `tests/rows.rs` does not run.
fn unused(tree: &Tree, file: &Source) -> Vec<Finding> {
    let Some((folder, name)) = file.path.rsplit_once('/') else { return Vec::new() };
    let name = name.trim_end_matches(".rs");
    let main = if folder.ends_with("/tests/rows") { "main.rs" } else { "rows.rs" };
    let rows = sibling(tree, &format!("{folder}/"), main).unwrap_or_default();
    let code = rust::scan(&file.text).code;
    let is_run = |table: &str| {
        let call = format!("{name}::{table}(");
        let is_longer = |before: &str| before.ends_with(|last: char| last.is_alphanumeric() || last == '_');
        rows.match_indices(call.as_str()).any(|(at, _)| !is_longer(&rows[..at]))
    };
    tables(&code)
        .filter(|(_, table)| !is_run(table))
        .map(|(line, table)| Finding {
            path: file.path.clone(),
            line,
            what: format!("the crate's tests/rows.rs does not run the table `{table}`"),
            why: "its rows are never checked",
            next: "pass the result of `FILE::TABLE` to `table::main` there, or make the function private",
        })
        .collect()
}

/// Returns the functions that other modules can call and that return tables, each with its line, counted from 1.
fn tables(code: &str) -> impl Iterator<Item = (usize, &str)> {
    code.match_indices("pub(crate) fn ").filter_map(move |(at, start)| {
        let (signature, _) = code[at + start.len()..].split_once('{')?;
        let (name, _) = signature.split_once(['(', '<'])?;
        let (_, returned) = signature.rsplit_once("->")?;
        let is_table = returned.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == "Table");
        is_table.then(|| (code[..at].matches('\n').count() + 1, name))
    })
}

/// Returns the code of a file in the same directory.
fn sibling(tree: &Tree, folder: &str, name: &str) -> Option<String> {
    let path = format!("{folder}{name}");
    tree.files().find(|file| file.path == path).map(|file| rust::scan(&file.text).code)
}
