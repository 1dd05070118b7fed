//! Removal of a symbol from a file, with the comma and the blank lines that would be left over.

use std::ops::Range;

use toolpost_text::encoding::Splice;

use super::{ChangedSymbol, SymbolEdit, SymbolError, insertion};

/// Removes the symbol, with the comma that separates it from its neighbour and with lines that become empty.
pub(super) fn of(place: &ChangedSymbol<'_>) -> Result<SymbolEdit, SymbolError> {
    place.alone()?;
    let (text, span) = (place.text, &place.symbol().span);
    let (start, end) = (place.line_start(span.start), place.line_end(span.end));
    let own_lines = text[start..span.start].trim().is_empty() && place.is_last_on_line();
    let behind = &text[place.end..];
    let comma = behind.len() - behind.trim_start().len() + 1;
    let listed = insertion::listed(place);
    let splice = if listed
        && !behind.trim_start().starts_with(',')
        && let Some(before) = comma_before(place)
    {
        let between = text[before + 1..span.start].trim_end();
        let last = if own_lines { end } else { place.end };
        Splice { range: before..last, new: between.to_owned() }
    } else if own_lines {
        Splice { range: with_blank_lines(text, start..end), new: String::new() }
    } else if listed && behind.trim_start().starts_with(',') {
        let rest = &behind[comma..];
        let space = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        Splice { range: span.start..place.end + comma + space, new: String::new() }
    } else {
        Splice { range: span.start..place.end, new: String::new() }
    };
    Ok(SymbolEdit { splice, notes: Vec::new() })
}

/// Finds the comma between the previous entry of a comma-separated list and the symbol.
fn comma_before(place: &ChangedSymbol<'_>) -> Option<usize> {
    let own = place.symbol();
    let before =
        place.symbols.iter().filter(|other| other.parent == own.parent && other.end <= own.span.start);
    let end = before.map(|other| other.end).max()?;
    let rest = &place.text[end..own.span.start];
    let comma = end + rest.len() - rest.trim_start().len();
    place.text[comma..].starts_with(',').then_some(comma)
}

/// Extends a range of whole lines by its last line break, and by adjacent blank lines that would be superfluous after
/// the removal.
fn with_blank_lines(text: &str, lines: Range<usize>) -> Range<usize> {
    let end = (lines.end + 1).min(text.len());
    let above = &text[..lines.start];
    let below = &text[end..];
    let parted = above.is_empty() || above.ends_with("\n\n");
    if !parted {
        return lines.start..end;
    }
    let rest = below.trim_start_matches(['\n', ' ', '\t']);
    let word = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next();
    if rest.is_empty() || rest.starts_with(['}', ')', ']']) || word == Some("end") {
        return above.trim_end_matches('\n').len() + usize::from(!above.is_empty())..end;
    }
    let blank = below.len() - below.trim_start_matches('\n').len();
    lines.start..end + blank
}
