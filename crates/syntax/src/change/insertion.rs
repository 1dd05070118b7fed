//! Insertion of code before or after a symbol, on separate lines.

use toolpost_text::encoding::Splice;
use toolpost_text::line_edit::EditPosition;
use toolpost_text::lines;

use super::{ChangedSymbol, SymbolEdit, SymbolError, indentation};
use crate::Kind;

/// The maximum number of blank lines to put between two definitions.
const BLANK: usize = 2;

/// Inserts code next to a symbol, with as many blank lines as the file has between the symbol and the
/// symbol's neighbour.
pub(super) fn put(
    place: &ChangedSymbol<'_>,
    side: EditPosition,
    new: &str,
) -> Result<SymbolEdit, SymbolError> {
    let (symbol, text) = (place.symbol(), place.text);
    let (start, end) = (place.line_start(symbol.span.start), place.line_end(symbol.span.end));
    let rest = &text[place.end..end];
    let free = match side {
        EditPosition::Before => text[start..symbol.span.start].trim().is_empty(),
        EditPosition::After | EditPosition::Replace => place.is_last_on_line(),
    };
    if !free {
        let at = if side == EditPosition::Before { symbol.span.start } else { symbol.span.end };
        return Err(SymbolError::Crowded { name: symbol.qualified.clone(), line: lines::number(text, at) });
    }
    let mut notes = Vec::new();
    let new = indentation::like(place.language, new, place.indent(), place.style());
    let listed = listed(place);
    let between = "\n".repeat(1 + blank_lines(place, side, &new));
    let indent = place.indent();
    let splice = match side {
        EditPosition::Before => {
            let comma = comma(listed && !new.ends_with(','), &mut notes);
            Splice { range: start..start, new: format!("{indent}{new}{comma}{between}") }
        }
        EditPosition::After | EditPosition::Replace => {
            let last = listed && !rest.trim_start().starts_with(',');
            let own = comma(last, &mut notes);
            let comma = comma(listed && !last && !new.ends_with(','), &mut notes);
            let new = format!("{own}{rest}{between}{indent}{new}{comma}");
            Splice { range: place.end..end, new }
        }
    };
    Ok(SymbolEdit { splice, notes })
}

fn comma(needed: bool, notes: &mut Vec<String>) -> &'static str {
    if !needed {
        return "";
    }
    notes.push("added a comma between the entries".to_owned());
    ","
}

/// Returns whether the symbol is an entry of a comma-separated list.
pub(super) fn listed(place: &ChangedSymbol<'_>) -> bool {
    let own = place.symbol();
    if !matches!(own.kind, Kind::Variant | Kind::Field | Kind::Key) {
        return false;
    }
    let mut siblings =
        place.symbols.iter().filter(|other| other.parent == own.parent && other.kind == own.kind);
    place.language.name() == "json" || siblings.any(|other| place.text[other.end..].starts_with(','))
}

/// Counts the blank lines between the symbol and its neighbour, up to [`BLANK`]; without a neighbour, returns the
/// usual number.
fn blank_lines(place: &ChangedSymbol<'_>, side: EditPosition, new: &str) -> usize {
    let (own, text) = (place.symbol(), place.text);
    let siblings = || place.symbols.iter().filter(|other| other.parent == own.parent);
    let behind = siblings().any(|other| other.span.start >= own.span.end);
    let before = siblings().any(|other| other.span.end <= own.span.start);
    let blank =
        |lines: &mut dyn Iterator<Item = &str>| lines.take_while(|line| line.trim().is_empty()).count();
    let below = || blank(&mut text[place.line_end(own.span.end)..].split('\n').skip(1));
    let above = || blank(&mut text[..place.line_start(own.span.start)].trim_end_matches(' ').lines().rev());
    let many = text[own.span.clone()].contains('\n') || new.contains('\n');
    let found = match (side, before, behind) {
        (EditPosition::Before, true, _) | (EditPosition::After, true, false) => above(),
        (_, _, true) => below(),
        _ => usize::from(
            many && matches!(own.kind, Kind::Function | Kind::Class | Kind::Struct | Kind::Section),
        ),
    };
    found.min(BLANK)
}
