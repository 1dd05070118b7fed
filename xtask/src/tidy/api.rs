//! Checks that each `api.txt`, a list of public items, is current, and that its last change is in the changelog.

use super::Finding;
use crate::{
    Repository,
    api::{self, Watched},
    tree::Tree,
};

const WHY: &str =
    "users build on these items; a change must be intended, and they must be able to read about it";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    api::WATCHED.iter().flat_map(|watched| outdated(tree, watched)).collect()
}

fn outdated(tree: &Tree, watched: &Watched) -> Vec<Finding> {
    let finding = |what: String| Finding {
        path: watched.list.to_owned(),
        line: 1,
        what,
        why: WHY,
        next: "undo the change, or run `cargo xtask api` and add an entry to CHANGELOG.md",
    };
    let kept = tree.file(watched.list).map_or("", |file| &file.text);
    match api::list(tree, watched) {
        Ok(current) => {
            let changes = api::changes(kept, &current);
            changes
                .into_iter()
                .map(|change| finding(format!("the list of public items is out of date: {change}")))
                .collect()
        }
        Err(error) => vec![finding(format!("the public items cannot be listed: {error:#}"))],
    }
}

/// Reports each `api.txt` that changed after the last change of the changelog.
pub(super) fn unexplained(house: &Repository) -> Vec<Finding> {
    let finding = |(path, what): (&str, String)| Finding {
        path: path.to_owned(),
        line: 1,
        what,
        why: WHY,
        next: "add an entry that starts with `Library:` to CHANGELOG.md",
    };
    api::unexplained(house).into_iter().map(finding).collect()
}
