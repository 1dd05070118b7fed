//! Expansion of the brace groups of a glob, such as `{a,b}`.

/// The maximum number of patterns into which the braces of a glob may expand.
pub(super) const MOST: usize = 256;

/// The maximum number of patterns for which all brace groups are expanded. Expansion is preferred, although the matcher
/// also handles groups without a slash, because expansion produces literal names, and only these override ignore rules.
const EASY: usize = 32;

/// The brace groups of a glob to expand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BraceGroups {
    All,
    WithSlash,
}

/// Expands all brace groups of a glob. If that results in more than [`EASY`] patterns, expands only the groups that
/// contain a slash; the matcher handles the groups that remain.
///
/// Returns `None` if even that results in more than [`MOST`] patterns.
pub(super) fn expand(pattern: &str) -> Option<Vec<String>> {
    write_out(pattern, BraceGroups::All, EASY).or_else(|| write_out(pattern, BraceGroups::WithSlash, MOST))
}

fn write_out(pattern: &str, which: BraceGroups, most: usize) -> Option<Vec<String>> {
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

/// Returns a pattern for each alternative of the first outermost brace group. `None` if the glob has no group to
/// expand.
fn split(pattern: &str, which: BraceGroups) -> Option<Vec<String>> {
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

/// Finds the first outermost brace group: the positions of its opening brace, its commas and its closing brace.
fn group(pattern: &str, which: BraceGroups) -> Option<(usize, Vec<usize>, usize)> {
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
                if depth == 0 && (slash || which == BraceGroups::All) {
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

/// Returns the end of a character class such as `[!a-z]`; braces in a class are literal.
fn class_end(pattern: &str, open: usize) -> Option<usize> {
    let inside = pattern.get(open + 1..)?;
    let negated = usize::from(inside.starts_with(['!', '^']));
    // A `]` directly after `[` or `[!` belongs to the class.
    let first = negated + usize::from(inside.get(negated..)?.starts_with(']'));
    Some(open + 1 + first + inside.get(first..)?.find(']')? + 1)
}
