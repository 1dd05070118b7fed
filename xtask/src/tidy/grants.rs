//! Checks that nothing but the rules grants accesses to a call: the types that grant, and the callers of operations.

use super::{Finding, rust};
use crate::tree::{Source, Tree};

/// The files that implement `Permissions`, with the reason.
const GRANTING: &[(&str, &str)] = &[
    ("crates/engine/src/call/permissions.rs", "the trait, and the context that grants nothing"),
    ("crates/runtime/src/permissions.rs", "the rules and the approvals of a call"),
    ("xtask/src/quality/baseline.rs", "a measurement of the search on a corpus; it is not shipped"),
];

/// The files that run an operation of the engine, with the reason.
const RUNNING: &[(&str, &str)] = &[
    ("crates/runtime/src/bridged.rs", "a call of an upstream tool, below the layers"),
    ("crates/runtime/src/operation_call.rs", "a typed call of a program, below the layers"),
    ("crates/tool/src/tool.rs", "a call of a tool, below the layers"),
    ("xtask/src/quality/baseline.rs", "a measurement of the search on a corpus; it is not shipped"),
];

/// The ways to write a call of `Engine::run`; the operation is never inferred.
const CALLS: [&str; 2] = [".run::<", "Engine::run"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let shipped = tree.rust().filter(|file| !file.is_test());
    shipped.flat_map(|file| grants(file).into_iter().chain(runs(file))).collect()
}

fn grants(file: &Source) -> Vec<Finding> {
    if is_listed(GRANTING, file) {
        return Vec::new();
    }
    let code = rust::scan(rust::shipped(&file.text)).code;
    let implemented = rust::words(&code, "impl").filter(|at| is_of_permissions(&code[*at..]));
    let finding = |at: usize| Finding {
        path: file.path.clone(),
        line: code[..at].matches('\n').count() + 1,
        what: "this type grants accesses to a call".to_owned(),
        why: "the policy judges the accesses of a call, so nothing else may grant one",
        next: "pass the context of the call on, or add the file to xtask/src/tidy/grants.rs with the reason",
    };
    implemented.map(finding).collect()
}

/// Returns whether a header, given the code from the word `impl` on, implements the trait `Permissions`.
fn is_of_permissions(code: &str) -> bool {
    let header = code.split(['{', ';']).next().unwrap_or_default();
    let Some((of, _)) = header.split_once(" for ") else { return false };
    of.trim().rsplit(|letter: char| !rust::is_name(letter)).next() == Some("Permissions")
}

fn runs(file: &Source) -> Vec<Finding> {
    if is_listed(RUNNING, file) {
        return Vec::new();
    }
    let code = rust::scan(rust::shipped(&file.text)).code;
    let lines = code.lines().enumerate().filter(|(_, line)| CALLS.iter().any(|call| line.contains(call)));
    let finding = |(at, _): (usize, &str)| Finding {
        path: file.path.clone(),
        line: at + 1,
        what: "an operation runs here without the layers of a call".to_owned(),
        why: "the layers judge each call, limit it and record it",
        next: "call a tool through the runtime, or add the file to xtask/src/tidy/grants.rs with the reason",
    };
    lines.map(finding).collect()
}

fn is_listed(table: &[(&str, &str)], file: &Source) -> bool {
    table.iter().any(|(path, _)| *path == file.path)
}
