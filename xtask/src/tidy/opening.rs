//! Checks that every file opens with one sentence that describes it.

use super::Finding;
use crate::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust().filter_map(|file| wrong(&file.text).map(|what| finding(&file.path, what))).collect()
}

fn wrong(text: &str) -> Option<String> {
    let Some(first) = text.lines().next().and_then(|line| line.strip_prefix("//! ")) else {
        return Some("the file does not open with `//!` and a sentence".to_owned());
    };
    let others = text.lines().skip(1).map_while(|line| line.strip_prefix("//! "));
    let paragraph = std::iter::once(first).chain(others).collect::<Vec<_>>().join(" ");
    let sentences = sentences(&paragraph);
    if !paragraph.trim_end().ends_with('.') {
        return Some("the first paragraph of the file does not end with a full stop".to_owned());
    }
    (sentences > 1).then(|| format!("the file opens with {sentences} sentences"))
}

/// Counts sentences: after a full stop and a space, a capital letter begins another one.
fn sentences(paragraph: &str) -> usize {
    let begins = |rest: &str| rest.chars().next().is_some_and(char::is_uppercase);
    1 + paragraph.match_indices(". ").filter(|(at, _)| begins(&paragraph[at + 2..])).count()
}

fn finding(path: &str, what: String) -> Finding {
    Finding {
        path: path.to_owned(),
        line: 1,
        what,
        why: "a file that needs two sentences often holds two units",
        next: "describe the file in one sentence; more can follow after an empty `//!` line",
    }
}
