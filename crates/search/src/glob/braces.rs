//! Alternatives in braces, written out.

/// The maximum number of patterns after brace expansion.
pub(super) const MOST: usize = 256;

/// The maximum number of patterns to expand if the matcher could handle the braces itself. Literal names lift rules,
/// so expansion is preferred.
const EASY: usize = 32;

/// The groups to expand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    All,
    WithSlash,
}

/// Writes out the groups; if they are many, only those that hold a slash, the others being left to the matcher.
///
/// `None` if that makes more than [`MOST`] patterns.
pub(super) fn expand(pattern: &str) -> Option<Vec<String>> {
    write_out(pattern, Which::All, EASY).or_else(|| write_out(pattern, Which::WithSlash, MOST))
}

fn write_out(pattern: &str, which: Which, most: usize) -> Option<Vec<String>> {
    let mut done = Vec::new();
    let mut waiting = vec![pattern.to_owned()];
    while let Some(next) = waiting.pop() {
        match split(&next, which) {
            None => done.push(next),
            Some(alternatives) => waiting.extend(alternatives.into_iter().rev()),
        }
        if done.len() + waiting.len() > most {
            return None;
        }
    }
    Some(done)
}

/// Replaces the first outermost group by each of its alternatives.
fn split(pattern: &str, which: Which) -> Option<Vec<String>> {
    let (open, commas, close) = group(pattern, which)?;
    let (before, after) = (pattern.get(..open)?, pattern.get(close + 1..)?);
    let mut from = open + 1;
    let mut alternatives = Vec::new();
    for end in commas.into_iter().chain([close]) {
        alternatives.push(format!("{before}{}{after}", pattern.get(from..end)?));
        from = end + 1;
    }
    Some(alternatives)
}

/// Finds the first outermost group: its braces, and the commas between its alternatives.
fn group(pattern: &str, which: Which) -> Option<(usize, Vec<usize>, usize)> {
    let mut depth = 0_usize;
    let mut open = 0;
    let mut commas = Vec::new();
    let mut slash = false;
    let mut from = 0;
    for (at, character) in pattern.char_indices() {
        if at < from {
            continue;
        }
        match character {
            '\\' => from = at + 1 + pattern.get(at + 1..)?.chars().next().map_or(0, char::len_utf8),
            '[' => from = class_end(pattern, at).unwrap_or(from),
            '{' => {
                if depth == 0 {
                    (open, slash) = (at, false);
                    commas.clear();
                }
                depth += 1;
            }
            '}' if depth > 0 => {
                depth -= 1;
                if depth == 0 && (slash || which == Which::All) {
                    return Some((open, commas, at));
                }
            }
            ',' if depth == 1 => commas.push(at),
            '/' if depth > 0 => slash = true,
            _ => {}
        }
    }
    None
}

/// Returns the end of a class such as `[!a-z]`; braces inside it are literal.
fn class_end(pattern: &str, open: usize) -> Option<usize> {
    let inside = pattern.get(open + 1..)?;
    let negated = usize::from(inside.starts_with(['!', '^']));
    // A `]` that comes first belongs to the class.
    let first = negated + usize::from(inside.get(negated..)?.starts_with(']'));
    Some(open + 1 + first + inside.get(first..)?.find(']')? + 1)
}
