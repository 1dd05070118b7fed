//! Merging of partial code by its tree: known items are replaced in place, new ones are inserted next to their
//! neighbours, everything else stays.
//!
//! A marker, such as `// ... existing code ...`, stands for omitted code.

mod align;
mod block;
mod imports;
mod insert;
mod item;
mod shape;
mod source;
mod target;
mod verify;
mod whole;

use toolpost_text::lines::lf;
use toolpost_text::merge::{
    self as lines, Line, LineReplacement, Marker, MergeResult, Refusal, RefusalReason, SnippetExtent,
    no_marker,
};

use crate::Language;
use crate::grammar::Merges;
use shape::Variant;
use source::Source;
use verify::Entries;

/// Computes the merge of a snippet into a text.
///
/// With a language whose code is merged by its tree, items are found by their names, and the result has no more syntax
/// errors than the text. Otherwise, and if no item determines the position, the lines around the markers must match
/// exactly one location in the text.
///
/// # Errors
///
/// If a part of the snippet has no certain location, code would be lost (the error names the part or the code), the
/// result would be invalid, or nothing would change although the snippet differs from the text.
pub fn merge(original: &str, snippet: &str, language: Option<Language>) -> Result<MergeResult, Refusal> {
    if lf(snippet) == original {
        return Ok(MergeResult { splices: Vec::new(), taken: SnippetExtent::Parts, notes: Vec::new() });
    }
    let language = language.filter(|language| language.0.merges == Merges::ByTree);
    let Some(old) = language.and_then(|language| Source::read(language, original)) else {
        return lines::merge(original, snippet);
    };
    let said = shape::expand(lines::literal_dots(&old.lines, lines::snippet(snippet)));
    let said = lines::adapted(&old.lines, said, old.style);
    let plain = shape::plain(old.language, &said);
    if let Some(merged) = plain.as_ref().and_then(|plain| whole::merge(&old, plain, snippet)) {
        return Ok(merged);
    }
    let merged = match by_tree(&old, plain, &said) {
        Err(refusal) if refusal.why.leaves_lines() => by_lines(&old, &said, snippet).map_err(|_| refusal),
        by_tree => by_tree,
    }?;
    lines::changes_something(&old.lines, &said, &merged)?;
    Ok(merged)
}

/// Merges with the first reading of the snippet that has a location in the text: parsed on its own, or parsed as the
/// members of an item.
fn by_tree(old: &Source, plain: Option<Variant>, said: &[Line]) -> Result<MergeResult, Refusal> {
    let mut refused: Option<Refusal> = None;
    let sound = plain.as_ref().is_some_and(|plain| plain.errors.is_empty());
    let (first, other) = if sound { (plain, None) } else { (None, plain) };
    let others = std::iter::once_with(|| shape::in_shells(old.language, said, other)).flatten();
    for variant in first.into_iter().chain(others) {
        let mut pieces = Vec::new();
        let merged = target::merge(old, &variant, &mut pieces).and_then(|notes| finish(old, pieces, notes));
        match merged {
            Ok(merged) => return Ok(merged),
            Err(refusal) => refused = Some(prefer(refused, refusal)),
        }
    }
    let language = old.language.name();
    Err(refused.unwrap_or_else(|| Refusal::whole(RefusalReason::Unread { what: "snippet", language })))
}

/// Returns the more specific of two refusals, or `first` if both are alike. A refusal is less specific if a merge by
/// lines may still succeed after it.
fn prefer(first: Option<Refusal>, other: Refusal) -> Refusal {
    match first {
        Some(first) if !first.why.leaves_lines() || other.why.leaves_lines() => first,
        _ => other,
    }
}

/// Merges by lines; the result is checked like the result of a merge by tree.
fn by_lines(old: &Source, said: &[Line], snippet: &str) -> Result<MergeResult, Refusal> {
    if !said.iter().any(|line| line.marker.is_some()) {
        return Err(Refusal::whole(RefusalReason::Empty));
    }
    let merged = lines::merge(old.text, snippet)?;
    if merged.splices.is_empty() {
        return Err(Refusal::whole(RefusalReason::Empty)); // the text already has all lines of the snippet
    }
    verify::check(old, &merged.splices, Entries::Once)?;
    Ok(merged)
}

/// Applies the pieces, if the result is valid.
fn finish(old: &Source, pieces: Vec<LineReplacement>, notes: Vec<String>) -> Result<MergeResult, Refusal> {
    let pieces = insert::ordered(pieces);
    verify::apart(&pieces)?;
    // In a language in which three dots are code, a line of dots is code rather than a marker.
    let dots = old.language.0.filler == "...";
    no_marker(&old.lines, &pieces, |found| found == Marker::Said || !dots)?;
    let splices = lines::splices(old.text, &pieces);
    verify::check(old, &splices, Entries::Once)?;
    Ok(MergeResult { splices, taken: SnippetExtent::Parts, notes })
}
