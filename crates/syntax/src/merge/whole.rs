//! A snippet that is all of a file.

use toolpost_text::lines::bare;
use toolpost_text::merge::{self as lines, MergeResult, SnippetExtent, adapted, replace_all};

use super::item::missing;
use super::shape::Variant;
use super::source::{Source, marked};
use super::verify::{self, Entries};
use crate::{Item, Kind};

/// Takes a snippet for the whole file, if it has no marker and everything that has a name in the file.
pub(super) fn merge(old: &Source, variant: &Variant, snippet: &str) -> Option<MergeResult> {
    let new = variant.source.source()?;
    if marked(&variant.source.said) || new.errors.len() > old.errors.len() || !keeps_imports(old, &new) {
        return None;
    }
    let (before, after) = (file(old.blocks.clone()), file(variant.blocks.clone()));
    let gone = missing(&before, &after);
    let has_all = gone.is_empty() && keeps_statements(old, &new);
    if !has_all && !is_complete(old, &new) {
        return None;
    }
    let text: String = adapted(&old.lines, lines::snippet(snippet), old.style)
        .iter()
        .flat_map(|line| [line.text.as_str(), "\n"])
        .collect();
    // A last line without a break stays so, and a correct text is written unchanged.
    let text = if snippet.ends_with('\n') { text.as_str() } else { text.trim_end_matches('\n') };
    let same = bare(text).iter().zip(lines::snippet(snippet)).all(|(one, other)| *one == other.text);
    let splices = replace_all(old.text, if same { snippet } else { text });
    if has_all {
        verify::check(old, &splices, Entries::AsSaid).ok()?;
        return Some(MergeResult { splices, taken: SnippetExtent::Whole, notes: Vec::new() });
    }
    verify::sound(old, &splices).ok()?;
    let names: Vec<String> = gone.iter().map(|item| format!("{} {}", item.kind.name(), item.name)).collect();
    let without =
        if names.is_empty() { String::new() } else { format!("; no longer there: {}", names.join(", ")) };
    let notes =
        vec![format!("took the code for the whole file, as it has no marker and is complete{without}")];
    Some(MergeResult { splices, taken: SnippetExtent::Whole, notes })
}

/// Checks whether a snippet without a marker has what only a complete file has, although it leaves definitions out.
///
/// That is a package clause, a default export where the file has one, or imports and a guard for the main program. A
/// snippet that is much shorter than the file is not taken for all of it.
fn is_complete(old: &Source, new: &Source) -> bool {
    let full = |source: &Source| source.lines.iter().filter(|line| !line.trim().is_empty()).count();
    if full(new) * 5 < full(old) * 2 {
        return false;
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

/// Returns whether a snippet has some of the imports of a file, if there are any.
///
/// Code without any of them is a part of the file, although it may have all that the file defines.
fn keeps_imports(old: &Source, new: &Source) -> bool {
    let imports = |source: &Source| source.blocks.iter().any(Item::imports);
    imports(new) || !imports(old)
}

/// Returns whether a snippet has most of the unnamed statements of a file.
///
/// A file that has nothing with a name must be there for the most part, or a few lines could replace all of it.
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

/// Creates an item that contains everything.
fn file(children: Vec<Item>) -> Item {
    Item {
        kind: Kind::Module,
        name: String::new(),
        range: 0..0,
        end: 0,
        attributes: None,
        head: 0,
        body: None,
        children,
        parameters: None,
        at: None,
        hint: None,
        value: None,
        bound: Vec::new(),
        further: Vec::new(),
    }
}
