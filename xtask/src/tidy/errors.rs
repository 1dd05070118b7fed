//! Checks that the names of error types end in `Error`.

use super::{Finding, rust};
use crate::tree::Tree;

/// Error types with another name, and the reason.
const NAMED: &[(&str, &str)] = &[
    ("AccessKind", "the kind of an `AccessError`"),
    ("Cause", "the message and the source of an `Error` of the crate `toolpost`, in each of its variants"),
    ("CommitKind", "the kind of a `CommitError`"),
    ("Failure", "the outcome of an operation, which a model reads and a dialect words"),
    ("Lost", "the state of the shared index, which a search reports"),
    ("Miss", "a result of matching: the text, and the lines that are closest"),
    ("Refusal", "a result of merging: the reason, and the places"),
    ("RefusalReason", "the reason of a `Refusal`"),
    ("Unavailable", "the reason why a search reads files without the index"),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let shipped = tree.rust().filter(|file| file.path.starts_with("crates/") && file.path.contains("/src/"));
    let mut findings = Vec::new();
    for file in shipped {
        let code = rust::scan(rust::shipped(&file.text)).code;
        for (at, name) in errors(&code) {
            if name.ends_with("Error") || NAMED.iter().any(|(listed, _)| *listed == name) {
                continue;
            }
            findings.push(Finding {
                path: file.path.clone(),
                line: code[..at].matches('\n').count() + 1,
                what: format!("the error type `{name}` does not end in `Error`"),
                why: "a reader must see in a signature which type is the error",
                next: "rename it, or add it to xtask/src/tidy/errors.rs with the reason",
            });
        }
    }
    findings
}

/// Returns the types that implement `Error`, by a derive or an `impl`, with their positions.
fn errors(code: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for at in rust::words(code, "impl") {
        let head = code[at + 4..].split(['{', ';']).next().unwrap_or_default();
        let Some((of, name)) = head.split_once(" for ") else { continue };
        if matches!(of.trim(), "Error" | "std::error::Error" | "error::Error") {
            found.push((at, first_name(name)));
        }
    }
    for (at, _) in code.match_indices("#[derive(") {
        let Some((derived, rest)) = code[at + 9..].split_once(")]") else { continue };
        let is_error = derived.split(',').any(|one| matches!(one.trim(), "thiserror::Error" | "Error"));
        let item = rest
            .find("struct ")
            .map(|at| at + 7)
            .into_iter()
            .chain(rest.find("enum ").map(|at| at + 5))
            .min();
        if let Some(item) = item.filter(|_| is_error) {
            found.push((at, first_name(&rest[item..])));
        }
    }
    found
}

fn first_name(text: &str) -> &str {
    let text = text.trim_start();
    &text[..text.find(|letter| !rust::is_name(letter)).unwrap_or(text.len())]
}
