//! The `@@` lines that open a hunk.

use super::Numbers;

/// The content of an `@@` line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Header {
    /// The position of the hunk.
    Numbers(Numbers),
    /// A line before it.
    Scope(String),
    /// Nothing: `@@` or `@@ ... @@`.
    Nothing,
}

/// Reads a line that opens a hunk; none if it is another line.
pub(super) fn read(line: &str) -> Option<Header> {
    let rest = line.strip_prefix("@@")?.trim_end();
    if rest.is_empty() {
        return Some(Header::Nothing);
    }
    let said = rest.strip_prefix([' ', '\t'])?;
    let (inside, closed) = match said.split_once("@@") {
        Some((inside, _)) if inside.trim() == "..." || inside.trim() == "…" => {
            return Some(Header::Nothing);
        }
        Some((inside, _)) => (inside.trim(), true),
        None => (said.trim(), false),
    };
    if let Some(numbers) = numbers(inside) {
        return Some(Header::Numbers(numbers));
    }
    if inside == "..." || inside == "…" || (closed && inside.is_empty() && said.trim() == "@@") {
        return Some(Header::Nothing);
    }
    // `@@ class A @@` is `@@ class A`.
    let scope = said.trim_end().strip_suffix("@@").map_or(said, str::trim_end);
    Some(Header::Scope(scope.to_owned()))
}

/// Reads `-a,b +c,d`.
fn numbers(said: &str) -> Option<Numbers> {
    let (old, new) = said.split_once(' ')?;
    Some(Numbers { old: span(old.strip_prefix('-')?)?, new: span(new.trim().strip_prefix('+')?)? })
}

fn span(said: &str) -> Option<(usize, usize)> {
    let (first, count) = said.split_once(',').unwrap_or((said, "1"));
    Some((first.parse().ok()?, count.parse().ok()?))
}
