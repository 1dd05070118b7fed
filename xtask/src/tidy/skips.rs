//! Checks that tests that cannot run on a machine are skipped by one function, which fails in a strict run.

use super::{Finding, rust};
use crate::tree::{Source, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// Words with which a test reports that it is skipped.
const WORDS: [&str; 2] = ["\"SKIPPED", "\"skipped:"];
/// Directories of the functions that report skipped tests, and of their reader.
const EXEMPT: [&str; 2] = ["crates/test-rows/", "xtask/"];
/// The functions that report that a test ends early.
const REPORTS: [&str; 2] = ["skip", "covered"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    printed(tree).into_iter().chain(silent(tree)).collect()
}

/// Finds tests that report a skip in their own words.
fn printed(tree: &Tree) -> Vec<Finding> {
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

/// Finds tests that return early without a report.
fn silent(tree: &Tree) -> Vec<Finding> {
    let mut crates: BTreeMap<&str, Vec<(&Source, String)>> = BTreeMap::new();
    for file in tree.rust() {
        let folder = ["/src/", "/tests/"].iter().find_map(|part| Some(file.path.split_once(part)?.0));
        let Some(folder) = folder else { continue };
        crates.entry(folder).or_default().push((file, rust::scan(&file.text).code));
    }
    let mut findings = Vec::new();
    for files in crates.values() {
        let functions: Vec<Function<'_>> = files.iter().flat_map(|(_, code)| functions(code)).collect();
        let reporting = reporting(&functions);
        for (file, code) in files {
            let tests = functions_of_tests(code);
            let early = tests.flat_map(|test| {
                returns(test.body)
                    .filter(|at| !is_reported(test.body, *at, &reporting))
                    .map(move |at| test.at + at)
            });
            findings.extend(early.map(|at| Finding {
                path: file.path.clone(),
                line: code[..at].matches('\n').count() + 1,
                what: "a test returns early without a report".to_owned(),
                why: "it passes without a test, also with `cargo xtask test --strict`",
                next: "call `skip` or `covered` of toolpost-test-rows first, or assert instead",
            }));
        }
    }
    findings
}

/// A function: its name, whether it is a test, and its body with the position in the code.
struct Function<'a> {
    name: &'a str,
    is_test: bool,
    at: usize,
    body: &'a str,
}

fn functions(code: &str) -> impl Iterator<Item = Function<'_>> {
    rust::words(code, "fn").filter_map(|at| {
        let rest = code[at + 2..].trim_start();
        let name = rest.split(|letter| !rust::is_name(letter)).next().filter(|name| !name.is_empty())?;
        let (head, body) = rust::split_body(rest)?;
        let start = code.len() - rest.len() + head.len() + 1;
        Some(Function { name, is_test: is_test(&code[..at]), at: start, body })
    })
}

fn functions_of_tests(code: &str) -> impl Iterator<Item = Function<'_>> {
    functions(code).filter(|function| function.is_test)
}

/// Checks whether the attributes at the end of the code before a function make it a test.
fn is_test(before: &str) -> bool {
    // The last line can be the beginning of the function's own line.
    let above = before.lines().rev().map(str::trim).skip(usize::from(!before.ends_with('\n')));
    let mut attributes = above.take_while(|line| line.is_empty() || line.starts_with("#["));
    attributes.any(|line| line.starts_with("#[test]") || line.starts_with("#[tokio::test"))
}

/// Returns the functions that report a skip, themselves or through another function of the crate.
fn reporting<'a>(functions: &[Function<'a>]) -> BTreeSet<&'a str> {
    let mut found: BTreeSet<&str> = REPORTS.into();
    loop {
        let known = found.len();
        let more = functions.iter().filter(|function| !function.is_test && calls(function.body, &found));
        let more: Vec<&str> = more.map(|function| function.name).collect();
        found.extend(more);
        if found.len() == known {
            return found;
        }
    }
}

fn calls(code: &str, functions: &BTreeSet<&str>) -> bool {
    functions.iter().any(|name| rust::words(code, name).any(|at| code[at + name.len()..].starts_with('(')))
}

/// Returns the positions of `return` without a value.
fn returns(body: &str) -> impl Iterator<Item = usize> {
    let is_empty = |at: &usize| body[at + "return".len()..].trim_start().starts_with([';', '}']);
    rust::words(body, "return").filter(is_empty)
}

/// Checks whether a `return` follows a report: in its block, or in the condition of a block around it. A `return` in a
/// closure or another function does not end the test.
fn is_reported(body: &str, at: usize, reporting: &BTreeSet<&str>) -> bool {
    let mut open = Vec::new();
    for (position, letter) in body[..at].char_indices() {
        match letter {
            '{' => open.push(position),
            '}' => drop(open.pop()),
            _ => {}
        }
    }
    let innermost = open.last().is_some_and(|start| calls(&body[*start..at], reporting));
    innermost
        || open.iter().any(|start| {
            let head = body[..*start].rsplit([';', '{', '}']).next().unwrap_or_default().trim();
            let is_closure = head.ends_with('|') || head.ends_with("async") || head.ends_with("async move");
            is_closure || rust::word(head, "fn").is_some() || calls(head, reporting)
        })
}
