//! References from the records of the history to stored contents.

use rustix::io::{Errno, Result};

use super::objects::{Objects, parts_name};
use crate::record::{Content, ContentKind, LONGEST_CONTENT, Record, nodes};

/// Returns the name of every stored file that a record needs, possibly with duplicates.
pub(super) fn names(
    objects: &Objects,
    is_there: &dyn Fn(&str) -> bool,
    record: &Record,
) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for content in record.changes.iter().flat_map(|change| [&change.before, &change.after]).flatten() {
        add(objects, is_there, content, &mut names)?;
        let list = content.hash.filter(|_| content.sort == ContentKind::Tree);
        let Some(list) = list.map(|list| objects.get(list, LONGEST_CONTENT)).and_then(whole).transpose()?
        else {
            continue;
        };
        for node in nodes(&list).unwrap_or_default() {
            add(objects, is_there, &node.content, &mut names)?;
        }
    }
    Ok(names)
}

fn add(
    objects: &Objects,
    is_there: &dyn Fn(&str) -> bool,
    content: &Content,
    names: &mut Vec<String>,
) -> Result<()> {
    let Some(hash) = content.hash else { return Ok(()) };
    let name = hash.to_hex();
    if is_there(&name) {
        names.push(name);
        return Ok(());
    }
    let list = parts_name(hash);
    if !is_there(&list) {
        return Ok(());
    }
    let pieces = whole(objects.parts(hash)).transpose()?.unwrap_or_default();
    names.extend(pieces.into_iter().map(|(piece, _)| piece.to_hex()).filter(|piece| is_there(piece)));
    names.push(list);
    Ok(())
}

/// Returns `None` for missing or damaged content. Other errors are returned, because the record may still
/// need the content.
fn whole<T>(answer: Result<T>) -> Option<Result<T>> {
    if let Err(Errno::NOENT | Errno::IO) = answer { None } else { Some(answer) }
}
