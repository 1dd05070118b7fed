//! Indentation of new code to match the code that it replaces.

use toolpost_text::encoding::Indent;
use toolpost_text::lines::{LineIndex, indent};
use toolpost_text::merge::{self, Line};

use crate::Language;

/// Indents the code `new` to match its target location, whose indentation is `to`. The first line gets none, because
/// the location already has it.
pub(super) fn like(language: Language, new: &str, to: &str, style: Indent) -> String {
    let first = indent(new);
    let mut lines: Vec<Line> = new
        .split('\n')
        .zip(1..)
        .map(|(text, number)| Line { text: text.to_owned(), marker: None, number })
        .collect();
    let texts = inside_texts(language, new);
    let before: Vec<String> = lines.iter().map(|line| line.text.clone()).collect();
    let rest = if in_place(&before, first, to) { 1 } else { lines.len() };
    merge::fit(&mut lines[..rest], style, first, to);
    for at in texts {
        if let (Some(line), Some(before)) = (lines.get_mut(at), before.get(at)) {
            line.text.clone_from(before);
        }
    }
    let whole = lines.into_iter().map(|line| line.text).collect::<Vec<_>>().join("\n");
    whole.trim_start_matches([' ', '\t']).to_owned()
}

/// Returns whether all lines but the first already have their final indentation, as in code that was copied
/// without the indentation of its first line.
fn in_place(lines: &[String], first: &str, to: &str) -> bool {
    if !first.is_empty() || to.is_empty() {
        return false;
    }
    let mut others = lines.iter().skip(1).filter(|line| !line.trim().is_empty());
    let Some(last) = others.clone().next_back() else { return false };
    let closes = last.trim_start().starts_with(['}', ')', ']']) || last.trim() == "end";
    let deeper = |line: &String| line.starts_with(to) && (closes || indent(line).len() > to.len());
    others.all(deeper) && (!closes || indent(last) == to)
}

/// Lists the lines that begin inside a string literal, where white space is content. Documentation strings
/// are not included.
fn inside_texts(language: Language, new: &str) -> Vec<usize> {
    let Ok(tree) = language.parse(new) else { return Vec::new() };
    let symbols = tree.symbols();
    let docs = |range: &std::ops::Range<usize>| {
        symbols
            .iter()
            .filter_map(|symbol| symbol.docs.as_ref())
            .any(|docs| docs.start <= range.start && range.end <= docs.end)
    };
    let index = LineIndex::new(new);
    let texts = tree.long_texts().into_iter().filter(|range| !docs(range));
    texts.flat_map(|range| index.line(range.start)..index.line(range.end.saturating_sub(1))).collect()
}
