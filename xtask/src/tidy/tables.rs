//! Checks that a test over a table of cases reports every failing row, and not only the first one.

use super::{Finding, rust};
use crate::tree::{Source, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// Minimum number of rows of a list that counts as a table of cases.
const ROWS: usize = 4;
/// The macros that end a test if they fail.
const ASSERTIONS: &[&str] = &["assert!", "assert_eq!", "assert_ne!", "panic!", "unreachable!"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust().flat_map(in_file).collect()
}

fn in_file(file: &Source) -> Vec<Finding> {
    let is_test = file.path.contains("/tests/") || file.path.ends_with("/tests.rs");
    let shipped = if is_test { "" } else { rust::shipped(&file.text) };
    let code = rust::scan(&file.text[shipped.len()..]).code;
    let before = shipped.matches('\n').count();
    let asserting = asserting(&code);
    let loops = loops(&code).filter(|found| {
        rows(&code, found).is_some_and(|rows| rows >= ROWS) && asserts(found.body, &asserting)
    });
    loops
        .map(|found| Finding {
            path: file.path.clone(),
            line: before + code[..found.at].matches('\n').count() + 1,
            what: "a table test stops at its first failing row".to_owned(),
            why: "the rows after it may fail too, and are not reported",
            next: "check the rows with `each` or `each_async` of toolpost-test-rows",
        })
        .collect()
}

/// A `for` loop: its position in the code, the expression after `in`, and its body.
struct Loop<'a> {
    at: usize,
    over: &'a str,
    body: &'a str,
}

fn loops(code: &str) -> impl Iterator<Item = Loop<'_>> {
    rust::words(code, "for").filter_map(|at| {
        let (head, body) = rust::split_body(&code[at..])?;
        let over = head.split_once(" in ")?.1.trim();
        Some(Loop { at, over, body })
    })
}

/// Returns the number of elements, if a loop iterates over a list that the file contains.
fn rows(code: &str, found: &Loop<'_>) -> Option<usize> {
    if let Some(list) = list(found.over) {
        return elements(list);
    }
    let over = found.over.trim_start_matches(['&', '*']);
    let name = over.split(|letter| !rust::is_name(letter)).next().filter(|name| !name.is_empty())?;
    if over[name.len()..].starts_with(['(', ':', '!']) {
        return None;
    }
    let bound = |at: &usize| {
        let before = code[..*at].trim_end();
        let before = before.strip_suffix("mut").map_or(before, str::trim_end);
        before.ends_with("let") && *at < found.at || before.ends_with("const") || before.ends_with("static")
    };
    let at = rust::words(code, name).filter(bound).last()?;
    let (_, value) = code[at..].split_once('=')?;
    elements(list(value.trim_start())?)
}

/// Returns the text after the opening bracket of a list.
fn list(value: &str) -> Option<&str> {
    let value = value.strip_prefix('&').unwrap_or(value);
    value.strip_prefix("vec!").unwrap_or(value).strip_prefix('[')
}

/// Counts the elements of a list up to its closing bracket; `None` for `[element; count]`.
fn elements(list: &str) -> Option<usize> {
    let (mut depth, mut count, mut is_open) = (0_usize, 0, false);
    for letter in list.chars() {
        match letter {
            ']' if depth == 0 => return Some(count + usize::from(is_open)),
            ';' if depth == 0 => return None,
            ',' if depth == 0 => (count, is_open) = (count + 1, false),
            '(' | '[' | '{' => (depth, is_open) = (depth + 1, true),
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            _ => is_open |= !letter.is_whitespace(),
        }
    }
    None
}

/// Returns the functions of a file that assert, themselves or through another function of the file.
fn asserting(code: &str) -> BTreeSet<&str> {
    let bodies: BTreeMap<&str, &str> = rust::words(code, "fn")
        .filter_map(|at| {
            let rest = code[at + 2..].trim_start();
            let name = rest.split(|letter| !rust::is_name(letter)).next().filter(|name| !name.is_empty())?;
            Some((name, rust::split_body(rest)?.1))
        })
        .collect();
    let mut found = BTreeSet::new();
    loop {
        let known = found.len();
        let more = bodies.iter().filter(|(_, body)| asserts(body, &found)).map(|(name, _)| *name);
        found = more.collect();
        if found.len() == known {
            return found;
        }
    }
}

fn asserts(body: &str, functions: &BTreeSet<&str>) -> bool {
    let calls = |name: &&str| rust::words(body, name).any(|at| body[at + name.len()..].starts_with('('));
    ASSERTIONS.iter().any(|assertion| body.contains(assertion)) || functions.iter().any(calls)
}
