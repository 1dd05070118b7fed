//! Imports that are single in the text and in a group in the snippet, or the other way round.

use std::collections::HashSet;

use toolpost_text::merge::LineReplacement;

use super::item::{MergeInput, owned};
use crate::{Item, Kind};

/// Replaces single imports of the text with a new group that contains them.
///
/// Returns the indexes of the snippet's items that need no other merge: such groups, and single imports that a group
/// of the text already contains.
pub(super) fn joined(
    both: &MergeInput<'_>,
    olds: &[&Item],
    news: &[&Item],
    pairs: &[Option<usize>],
    out: &mut Vec<LineReplacement>,
) -> Vec<usize> {
    let mut done = Vec::new();
    for (at, new) in news.iter().enumerate().filter(|(at, _)| pairs[*at].is_none()) {
        if !is_group(new) {
            if new.kind == Kind::Import
                && olds.iter().any(|old| is_group(old) && names(old).contains(new.name.as_str()))
            {
                done.push(at); // the import is already in the group
            }
            continue;
        }
        let wanted = names(new);
        let single = |old: &&&Item| old.kind == Kind::Import && wanted.contains(old.name.as_str());
        let singles: Vec<&&Item> = olds.iter().filter(single).collect();
        for (number, old) in singles.iter().enumerate() {
            let (from, to) = (both.new.indent(both.new.head(new)), both.old.indent(both.old.head(old)));
            let lines =
                if number == 0 { owned(&both.fitted(both.new.span(new), from, to)) } else { Vec::new() };
            out.push(LineReplacement { old: both.old.span(old), new: lines });
        }
        if !singles.is_empty() {
            done.push(at);
        }
    }
    done
}

fn is_group(item: &Item) -> bool {
    item.kind == Kind::Group && item.children.iter().any(|child| child.kind == Kind::Import)
}

fn names(item: &Item) -> HashSet<&str> {
    item.children.iter().map(|child| child.name.as_str()).collect()
}
