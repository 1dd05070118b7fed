//! The final check of a result: no named item is lost, there are no more syntax errors than before, and no
//! key is repeated.

use std::collections::HashMap;

use toolpost_text::encoding::Splice;
use toolpost_text::lines::{LineIndex, LineRange};
use toolpost_text::merge::{LineReplacement, Refusal, RefusalReason, apply};

use super::align::{KindGroup, sort};
use super::source::Source;
use crate::{Item, Tree};

/// The check for repeated keys in literals of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entries {
    /// No key may be repeated that the text did not repeat.
    Once,
    /// Keys are not checked.
    AsSaid,
}

/// Refuses a result that has lost a named item, has more syntax errors than the text, or repeats a key that
/// the text does not repeat.
pub(super) fn check(old: &Source, splices: &[Splice], entries: Entries) -> Result<(), Refusal> {
    sound(old, splices)?;
    let result = apply(old.text, splices);
    let language = old.language.name();
    let Ok(tree) = old.language.parse(&result) else {
        return Err(Refusal::whole(RefusalReason::Unread { what: "result", language }));
    };
    let mut there: HashMap<Path, usize> = HashMap::new();
    visit(&tree.blocks(), &mut Vec::new(), &mut |path, _| *there.entry(path).or_default() += 1);
    let mut lost: Vec<(usize, String)> = Vec::new();
    visit(&old.blocks, &mut Vec::new(), &mut |path, item| match there.get_mut(&path) {
        Some(count) if *count > 0 => *count -= 1,
        _ => lost.push((old.head(item) + 1, format!("{} {}", item.kind.name(), item.name))),
    });
    if let (Some(first), Some(last)) = (lost.first(), lost.last()) {
        let lines = LineRange { first: first.0, last: last.0 };
        let names = lost.iter().map(|(_, name)| name.clone()).collect();
        return Err(Refusal::whole(RefusalReason::Loses { lines, names }));
    }
    match entries {
        Entries::Once => once(old, &tree),
        Entries::AsSaid => Ok(()),
    }
}

/// Refuses a result with more syntax errors than the text.
pub(super) fn sound(old: &Source, splices: &[Splice]) -> Result<(), Refusal> {
    let result = apply(old.text, splices);
    let language = old.language.name();
    let Ok(tree) = old.language.parse(&result) else {
        return Err(Refusal::whole(RefusalReason::Unread { what: "result", language }));
    };
    let errors = tree.errors();
    match errors.first() {
        Some(first) if errors.len() > old.errors.len() => {
            let line = LineIndex::new(&result).line(first.start);
            Err(Refusal::whole(RefusalReason::Breaks { language, line }))
        }
        _ => Ok(()),
    }
}

/// Refuses a result that repeats a key, for example with both an entry and its replacement.
fn once(old: &Source, after: &Tree<'_>) -> Result<(), Refusal> {
    let Ok(before) = old.language.parse(old.text) else { return Ok(()) }; // the text was parsed before
    let mut known: HashMap<String, usize> = HashMap::new();
    for entry in before.repeated() {
        *known.entry(entry.key).or_default() += 1;
    }
    for entry in after.repeated() {
        match known.get_mut(&entry.key) {
            Some(count) if *count > 0 => *count -= 1,
            _ => {
                let line = LineIndex::new(after.text()).line(entry.at);
                return Err(Refusal::whole(RefusalReason::Doubles { key: entry.key, line }));
            }
        }
    }
    Ok(())
}

/// Refuses pieces that replace the same lines, for example of items that share a line.
pub(super) fn apart(pieces: &[LineReplacement]) -> Result<(), Refusal> {
    let shared = pieces.windows(2).find(|two| two[1].old.start < two[0].old.end);
    shared.map_or(Ok(()), |two| {
        let lines = vec![two[0].old.start + 1, two[1].old.start + 1];
        Err(Refusal::whole(RefusalReason::Ambiguous { lines }))
    })
}

/// The path of names to an item, with the kind of each.
type Path = Vec<(KindGroup, String)>;

/// Visits all definitions.
fn visit<'a>(items: &'a [Item], path: &mut Path, found: &mut impl FnMut(Path, &'a Item)) {
    for item in items {
        if item.kind.defines() {
            let kind =
                if sort(item.kind) == KindGroup::Value { KindGroup::Function } else { sort(item.kind) };
            path.push((kind, item.name.clone()));
            found(path.clone(), item);
            visit(&item.children, path, found);
            path.pop();
        } else {
            visit(&item.children, path, found);
        }
    }
}
