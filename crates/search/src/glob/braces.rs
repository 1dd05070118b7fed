//! Alternatives in braces that reach over a slash, written out.

/// How many patterns one may stand for.
pub(super) const MOST: usize = 256;

/// Writes out the groups that hold a slash; groups within one name are left to the matcher.
///
/// `None` if that makes more than [`MOST`] patterns.
pub(super) fn expand(pattern: &str) -> Option<Vec<String>> {
    let mut done = Vec::new();
    let mut waiting = vec![pattern.to_owned()];
    while let Some(next) = waiting.pop() {
        match split(&next) {
            None => done.push(next),
            Some(alternatives) => waiting.extend(alternatives.into_iter().rev()),
        }
        if done.len() + waiting.len() > MOST {
            return None;
        }
    }
    Some(done)
}

/// Says whether a slash stands outside of all classes.
pub(super) fn has_slash(pattern: &str) -> bool {
    pattern.contains('/')
}

/// Replaces the first outermost group that holds a slash by each of its alternatives.
fn split(pattern: &str) -> Option<Vec<String>> {
    let (open, commas, close) = group(pattern)?;
    let (before, after) = (pattern.get(..open)?, pattern.get(close + 1..)?);
    let mut from = open + 1;
    let mut alternatives = Vec::new();
    for end in commas.into_iter().chain([close]) {
        alternatives.push(format!("{before}{}{after}", pattern.get(from..end)?));
        from = end + 1;
    }
    Some(alternatives)
}

/// Finds the first outermost group that holds a slash: its braces, and the commas between its alternatives.
fn group(pattern: &str) -> Option<(usize, Vec<usize>, usize)> {
    let mut depth = 0_usize;
    let mut open = 0;
    let mut commas = Vec::new();
    let mut slash = false;
    let mut escaped = false;
    for (at, character) in pattern.char_indices() {
        if std::mem::take(&mut escaped) {
            continue;
        }
        match character {
            '\\' => escaped = true,
            '{' => {
                if depth == 0 {
                    (open, slash) = (at, false);
                    commas.clear();
                }
                depth += 1;
            }
            '}' if depth > 0 => {
                depth -= 1;
                if depth == 0 && slash {
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
