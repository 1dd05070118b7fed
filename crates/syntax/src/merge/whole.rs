//! A snippet that is a whole file.

use toolpost_text::lines::bare;
use toolpost_text::merge::{self as lines, MergeResult, SnippetExtent, adapted, replace_all};

use super::item::missing;
use super::shape::Variant;
use super::source::{Source, marked};
use super::verify::{self, Entries};
use crate::{Item, Kind};

/// Uses a snippet as the whole file if it has no marker, adds no parse errors, has an import if the file has one, and
/// either looks complete or keeps all named items, most statements and the comments at both ends of the file.
/// Otherwise, or if a final check fails, returns `None`.
pub(super) fn merge(old: &Source, variant: &Variant, snippet: &str) -> Option<MergeResult> {
    let new = variant.source.source()?;
    if marked(&variant.source.said) || new.errors.len() > old.errors.len() || !keeps_imports(old, &new) {
        return None;
    }
    let (before, after) = (file(old.blocks.clone()), file(variant.blocks.clone()));
    let gone = missing(&before, &after);
    let has_all = gone.is_empty() && keeps_statements(old, &new);
    if has_all && !keeps_comments(old, &new) {
        return None;
    }
    if !has_all && !is_complete(old, &new) {
        return None;
    }
    let text: String = adapted(&old.lines, lines::snippet(snippet), old.style)
        .iter()
        .flat_map(|line| [line.text.as_str(), "\n"])
        .collect();
    // A missing line break at the end stays missing, and a snippet that needs no adaptation is written
    // unchanged.
    let text = if snippet.ends_with('\n') { text.as_str() } else { text.trim_end_matches('\n') };
    let same = bare(text).iter().zip(lines::snippet(snippet)).all(|(one, other)| *one == other.text);
    let splices = replace_all(old.text, if same { snippet } else { text });
    if has_all {
        verify::check(old, &splices, Entries::AsSaid).ok()?;
        return Some(MergeResult { splices, taken: SnippetExtent::Whole, notes: Vec::new() });
    }
    verify::sound(old, &splices).ok()?;
    let names: Vec<String> = gone.iter().map(|item| format!("{} {}", item.kind.name(), item.name)).collect();
    let without = if names.is_empty() { String::new() } else { format!("; removed: {}", names.join(", ")) };
    let notes = vec![format!(
        "replaced the whole file, because the code marks no omissions and is complete{without}"
    )];
    Some(MergeResult { splices, taken: SnippetExtent::Whole, notes })
}

/// Checks whether a snippet without a marker for omitted code looks like a complete file, although it lacks
/// definitions or statements of the file.
///
/// It does if it begins and ends like the file and has at least 90 % of its lines, or if the snippet and the file both
/// have a package declaration, a default export, or imports and `if __name__ ==`. A snippet that is much shorter than
/// the file is not accepted.
fn is_complete(old: &Source, new: &Source) -> bool {
    let full = |source: &Source| source.lines.iter().filter(|line| !line.trim().is_empty()).count();
    if full(new) * 5 < full(old) * 2 {
        return false;
    }
    if is_nearly_same(old, new) {
        return true;
    }
    let both = |holds: &dyn Fn(&Source) -> bool| holds(old) && holds(new);
    let kind = |source: &Source, kind: Kind| source.blocks.iter().any(|item| item.kind == kind);
    let line = |source: &Source, start: &str| source.lines.iter().any(|line| line.starts_with(start));
    both(&|source| kind(source, Kind::Package))
        || both(&|source| line(source, "export default "))
        || both(&|source| {
            line(source, "if __name__ ==") && (line(source, "import ") || line(source, "from "))
        })
}

/// Returns whether a snippet begins and ends like the file and has at least 90 % of its lines.
fn is_nearly_same(old: &Source, new: &Source) -> bool {
    let full = |source: &Source| -> Vec<String> {
        let full = source.lines.iter().filter(|line| !line.trim().is_empty());
        full.map(|line| line.trim_end().to_owned()).collect()
    };
    let (there, here) = (full(old), full(new));
    let known: std::collections::HashSet<&String> = here.iter().collect();
    let kept = there.iter().filter(|line| known.contains(line)).count();
    there.first() == here.first() && there.last() == here.last() && kept * 10 >= there.len() * 9
}

/// Returns whether a snippet has the comments with which a file begins and ends.
///
/// A snippet without these comments may be only the code between them.
fn keeps_comments(old: &Source, new: &Source) -> bool {
    let comment =
        |line: &&&str| ["//", "/*", "*", "#", "--", "<!--"].iter().any(|sign| line.trim().starts_with(sign));
    let full = || old.lines.iter().filter(|line| !line.trim().is_empty());
    let ends = [full().next(), full().next_back()].into_iter().flatten();
    let mut ends = ends.filter(comment);
    ends.all(|line| new.lines.iter().any(|other| other.trim() == line.trim()))
}

/// Returns whether a snippet has an import, or the file has none.
///
/// A snippet without any import is only a part of the file, even if it has all definitions of the file.
fn keeps_imports(old: &Source, new: &Source) -> bool {
    let imports = |source: &Source| source.blocks.iter().any(Item::imports);
    imports(new) || !imports(old)
}

/// Returns whether a snippet has most of the unnamed statements of a file.
///
/// For a file without named items, the snippet must contain most of it, or a few lines could replace all of it.
fn keeps_statements(old: &Source, new: &Source) -> bool {
    let plain = |source: &Source, items: &[Item]| -> Vec<String> {
        let of = items.iter().filter(|item| matches!(item.kind, Kind::Statement | Kind::Package));
        of.map(|item| source.plain(item)).collect()
    };
    let there = plain(new, &new.blocks);
    let all = plain(old, &old.blocks);
    let lost = all.iter().filter(|statement| !there.contains(statement)).count();
    let named = old.blocks.iter().any(|item| item.kind.defines());
    let share = if named { 2 } else { 4 };
    (lost * share <= all.len() || named && lost <= 1) && !(bare(old.text).len() > 3 && new.blocks.is_empty())
}

/// Creates an item that contains all items of a file.
fn file(children: Vec<Item>) -> Item {
    Item { children, ..Item::bare(Kind::Module, 0..0) }
}
