//! Resolution of a symbol name within a file.

use toolpost_text::names::distance;

use crate::outline::segments;
use crate::{Kind, Symbol};

/// The result of resolving a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// Exactly one symbol.
    One(usize),
    /// Several symbols, in file order.
    Several(Vec<usize>),
    /// No symbol; the indexes are those of symbols with similar names.
    None(Vec<usize>),
}

/// Maximum number of suggested names.
const LIKE: usize = 5;

/// Resolves a name, qualified or not: `A.b`, `A::b` and `A#b` alike; `b~2` is the second symbol of that name.
#[must_use]
pub fn find(symbols: &[Symbol], name: &str) -> Resolution {
    let whole = symbols.iter().any(|symbol| symbol.qualified == name);
    let (name, number) = match name
        .rsplit_once('~')
        .filter(|_| !whole)
        .map(|(name, number)| (name, number.parse::<usize>()))
    {
        Some((name, Ok(number))) => (name, Some(number)),
        _ => (name, None),
    };
    let found = candidates(symbols, name);
    match (found.as_slice(), number) {
        ([], _) => Resolution::None(like(symbols, name)),
        (all, Some(number)) => match number.checked_sub(1).and_then(|at| all.get(at)) {
            Some(one) => Resolution::One(*one),
            None => Resolution::Several(found),
        },
        ([one], None) => Resolution::One(*one),
        (all, None) => {
            likeliest(symbols, all).map_or_else(|| Resolution::Several(found.clone()), Resolution::One)
        }
    }
}

/// Lists the symbols that a requested name can mean. The first of these comparisons that finds a symbol counts: the
/// qualified name, the plain name, the last parts of the qualified name, and the last two again without regard to case.
fn candidates(symbols: &[Symbol], name: &str) -> Vec<usize> {
    let whole = name.trim();
    let wanted = requested_segments(whole);
    let same = |matches: &dyn Fn(&Symbol) -> bool| -> Vec<usize> {
        let found = symbols.iter().enumerate().filter(|(_, symbol)| matches(symbol));
        found.map(|(at, _)| at).collect()
    };
    let ends = |symbol: &Symbol, same: &dyn Fn(&str, &str) -> bool| {
        let own = segments(&symbol.qualified);
        own.len() >= wanted.len()
            && !wanted.is_empty()
            && own.iter().rev().zip(wanted.iter().rev()).all(|(own, wanted)| same(own, wanted))
    };
    let steps: [&dyn Fn(&Symbol) -> bool; 5] = [
        &|symbol| symbol.qualified == name || symbol.qualified == wanted.join("."),
        &|symbol| symbol.name == whole,
        &|symbol| ends(symbol, &|own, wanted| own == wanted),
        &|symbol| symbol.name.eq_ignore_ascii_case(whole),
        &|symbol| ends(symbol, &|own, wanted| own.eq_ignore_ascii_case(wanted)),
    ];
    steps.iter().map(|step| same(*step)).find(|found| !found.is_empty()).unwrap_or_default()
}

/// Parses a requested name; keywords before it, such as `fn` or `class`, are dropped.
fn requested_segments(name: &str) -> Vec<String> {
    let last = segments(name);
    if last.iter().any(|part| part.contains(' ')) && !name.contains(['"', '\'']) {
        return segments(
            name.split('(').next().unwrap_or_default().split_whitespace().last().unwrap_or_default(),
        );
    }
    last
}

/// Chooses between several symbols of one name: types before their implementations, definitions before
/// declarations; `None` if that does not leave exactly one, or if the qualified names differ.
fn likeliest(symbols: &[Symbol], all: &[usize]) -> Option<usize> {
    let qualified = &symbols[all[0]].qualified;
    if all.iter().any(|at| symbols[*at].qualified != *qualified) {
        return None;
    }
    let only = |wanted: &dyn Fn(&Symbol) -> bool| {
        let mut found = all.iter().filter(|at| wanted(&symbols[**at]));
        found.next().copied().filter(|_| found.next().is_none())
    };
    if all.iter().any(|at| symbols[*at].kind == Kind::Impl) {
        return only(&|symbol| symbol.kind != Kind::Impl);
    }
    let declares = |symbol: &Symbol| matches!(symbol.kind, Kind::Function | Kind::Class | Kind::Struct);
    if all.iter().all(|at| declares(&symbols[*at])) {
        return only(&|symbol| symbol.body.is_some());
    }
    None
}

/// Lists symbols with names similar to a missing one.
fn like(symbols: &[Symbol], name: &str) -> Vec<usize> {
    let wanted =
        [requested_segments(name).pop().unwrap_or_default(), segments(name).pop().unwrap_or_default()];
    let names: Vec<&str> = symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    let mut scored: Vec<(usize, usize)> = names
        .iter()
        .enumerate()
        .filter_map(|(at, name)| {
            let away = |wanted: &String| apart(&name.to_lowercase(), &wanted.to_lowercase());
            Some((wanted.iter().filter_map(away).min()?, at))
        })
        .collect();
    scored.sort_unstable();
    scored.into_iter().take(LIKE).map(|(_, at)| at).collect()
}

/// Returns the distance of two names; `None` if they are not similar.
fn apart(one: &str, other: &str) -> Option<usize> {
    if one.is_empty() || other.is_empty() {
        return None;
    }
    let short = one.len().min(other.len());
    if short > 2 && (one.contains(other) || other.contains(one)) {
        return Some(one.len().abs_diff(other.len()).min(8));
    }
    let far = distance(one, other);
    (far * 3 <= one.len().max(other.len())).then_some(far)
}
