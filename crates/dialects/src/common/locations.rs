//! Definitions, references and symbols in replies, and whether a language server or the syntax tree found them.

use toolpost_engine::operations::navigate::{Complete, Output, Source};
use toolpost_tool::Page;

/// Writes the locations and symbols found, then what found them and whether the list is complete.
pub(crate) fn render(output: &Output, page: &mut Page) {
    if let Some(text) = &output.text {
        page.line(text.trim_end());
    }
    for place in &output.places {
        let what = place.what.as_ref().map(|what| format!("  ({what})")).unwrap_or_default();
        let text = if place.text.is_empty() { String::new() } else { format!(" {}", place.text) };
        page.line(&format!("{}:{}:{}:{text}{what}", place.path, place.line, place.column));
    }
    for symbol in &output.symbols {
        let lines = if symbol.last_line > symbol.line {
            format!("{}-{}", symbol.line, symbol.last_line)
        } else {
            symbol.line.to_string()
        };
        page.line(&format!("{}{} {}  {lines}", "  ".repeat(symbol.depth), symbol.kind, symbol.name));
    }
    let nothing = output.text.is_none() && output.places.is_empty() && output.symbols.is_empty();
    if nothing {
        page.line(match output.complete {
            Complete::Yes => "Nothing found",
            Complete::No | Complete::Unknown => "Nothing found so far; the answer may be incomplete",
        });
    }
    notes(output, page);
}

fn notes(output: &Output, page: &mut Page) {
    if let Some(asked) = &output.asked
        && asked.moved
    {
        let column = asked.base.number(asked.column.saturating_sub(1));
        page.note(format!(
            "that column has no symbol name; used the nearest name, {}, which is at column {column} \
             (columns count from {})",
            asked.name,
            asked.base.first()
        ));
    }
    let listed = output.places.len() as u64 + output.withheld;
    if !output.places.is_empty() && listed < output.total {
        page.note(format!("the first {} of {} locations", output.places.len(), output.total));
    }
    if output.withheld > 0 {
        page.note(format!(
            "locations withheld: {}, because the rules do not allow reading their files",
            output.withheld
        ));
    }
    let complete = match output.complete {
        Complete::Yes => "yes",
        Complete::No => "no",
        Complete::Unknown => "unknown",
    };
    let of = output.asked.as_ref().map(|asked| format!("{}: ", asked.name)).unwrap_or_default();
    let by = match &output.source {
        Source::Server(name) => format!("answered by {name}"),
        Source::Tree => "answered by the syntax tree, not by a language server".to_owned(),
    };
    page.note(format!("{of}{by}; complete: {complete} ({})", output.why));
    output.session_notes.iter().for_each(|note| page.note_once(note.trim_end_matches('.')));
    output.notes.iter().for_each(|note| page.note(note.trim_end_matches('.')));
}
