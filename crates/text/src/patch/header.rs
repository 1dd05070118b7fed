//! Parser for the `@@` lines that begin a hunk.

use super::Numbers;

/// The content of an `@@` line, which begins a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Header {
    /// The line numbers of the hunk, such as `-1,3 +1,4`.
    Numbers(Numbers),
    /// A line of the file that precedes the hunk.
    Scope(String),
    /// Nothing: `@@` or `@@ ... @@`.
    Nothing,
}

/// Parses a line that is `@@` or begins with `@@` and white space; `None` for any other line.
pub(super) fn read(line: &str) -> Option<Header> {
    let rest = line.strip_prefix("@@")?.trim_end();
    if rest.is_empty() {
        return Some(Header::Nothing);
    }
    let text = rest.strip_prefix([' ', '\t'])?;
    let (inside, closed) = match text.split_once("@@") {
        Some((inside, _)) if inside.trim() == "..." || inside.trim() == "…" => {
            return Some(Header::Nothing);
        }
        Some((inside, _)) => (inside.trim(), true),
        None => (text.trim(), false),
    };
    if let Some(numbers) = numbers(inside) {
        return Some(Header::Numbers(numbers));
    }
    if inside == "..." || inside == "…" || (closed && inside.is_empty() && text.trim() == "@@") {
        return Some(Header::Nothing);
    }
    // `@@ class A @@` means the same as `@@ class A`.
    let scope = text.trim_end().strip_suffix("@@").map_or(text, str::trim_end);
    Some(Header::Scope(scope.to_owned()))
}

/// Parses line numbers of the form `-a,b +c,d`.
fn numbers(text: &str) -> Option<Numbers> {
    let (old, new) = text.split_once(' ')?;
    Some(Numbers { old: span(old.strip_prefix('-')?)?, new: span(new.trim().strip_prefix('+')?)? })
}

fn span(text: &str) -> Option<(usize, usize)> {
    let (first, count) = text.split_once(',').unwrap_or((text, "1"));
    Some((first.parse().ok()?, count.parse().ok()?))
}
