//! Which files of the contents a record needs.

use super::objects::{Objects, parts_name};
use super::record::{Content, Record, Sort};
use super::tree;

/// Names every file that a record needs, as far as it is there; a name can come more than once.
pub(super) fn names(objects: &Objects, is_there: &dyn Fn(&str) -> bool, record: &Record) -> Vec<String> {
    let mut names = Vec::new();
    for content in record.changes.iter().flat_map(|change| [&change.before, &change.after]).flatten() {
        add(objects, is_there, content, &mut names);
        let list = content.hash.filter(|_| content.sort == Sort::Tree);
        let nodes = list.and_then(|list| tree::nodes(&objects.get(list).ok()?).ok());
        for node in nodes.into_iter().flatten() {
            add(objects, is_there, &node.content, &mut names);
        }
    }
    names
}

fn add(objects: &Objects, is_there: &dyn Fn(&str) -> bool, content: &Content, names: &mut Vec<String>) {
    let Some(hash) = content.hash else { return };
    let whole = hash.to_hex();
    if is_there(&whole) {
        names.push(whole);
        return;
    }
    let list = parts_name(hash);
    if !is_there(&list) {
        return;
    }
    let pieces = objects.parts(hash).unwrap_or_default();
    names.extend(pieces.into_iter().map(|(piece, _)| piece.to_hex()).filter(|piece| is_there(piece)));
    names.push(list);
}
