//! Search for the part of a long line that is most similar to an edit's old text.
//!
//! Errors show this part; edits never change it.

use std::collections::HashMap;

use super::closest::LEAST;
use super::fold::{caseless, is_blank, plain};
use super::{ClosestLines, LineDifference, show};

/// Maximum number of characters of the old text's longest line that the search uses; the rest is ignored.
const MAX_WIDTH: usize = 200;

/// Number of bytes of the file after which the search stops.
const EFFORT: usize = 8_000_000;

/// Approximate number of characters that are shown before and after the most similar part.
const AROUND: usize = 60;

/// Searches the lines of a file, up to [`EFFORT`] bytes, for the part that is most similar to the longest line of an
/// old text; `None` if that line is too short, or no part is similar enough.
pub(super) fn closest(lines: &[&str], wanted: &[&str]) -> Option<ClosestLines> {
    let (index, pattern) = wanted.iter().enumerate().max_by_key(|(_, line)| solid(line).count())?;
    let pattern: Vec<char> = solid(pattern).map(|(_, character)| character).take(MAX_WIDTH).collect();
    if pattern.len() < 3 {
        return None;
    }
    let mut best: Option<(usize, usize, usize, usize)> = None;
    let mut effort = 0;
    for (at, line) in lines.iter().enumerate() {
        effort += line.len();
        if effort > EFFORT {
            break;
        }
        if let Some((score, from, to)) = window(line, &pattern)
            && score >= LEAST
            && best.is_none_or(|(most, ..)| score > most)
        {
            best = Some((score, at, from, to));
        }
    }
    let (_, at, from, to) = best?;
    let line = lines[at];
    let before = line[..from].char_indices().rev().nth(AROUND - 1).map_or(0, |(at, _)| at);
    let after = line[to..].char_indices().nth(AROUND).map_or(line.len(), |(after, _)| to + after);
    let cut = |out: bool| if out { "\u{2026}" } else { "" };
    let lower = |text: &str| -> String { text.chars().map(caseless).collect() };
    let (ours, theirs) = (wanted[index].trim(), &line[from..to]);
    let is_case = ours != theirs && lower(ours) == lower(theirs);
    Some(ClosestLines {
        first_line: at + 1,
        last_line: at + 1,
        shown: format!("{}{}{}", cut(before > 0), show::part(&line[before..after]), cut(after < line.len())),
        diff: show::difference(&[ours], &[theirs], at + 1),
        differs: if is_case { LineDifference::Case } else { LineDifference::Text },
    })
}

/// Finds the part of a line that shares the most pairs of adjacent characters with `pattern`. Returns the
/// similarity in thousandths, and the start and end of the part; `None` if the line is too short or shares no pair.
fn window(line: &str, pattern: &[char]) -> Option<(usize, usize, usize)> {
    let characters: Vec<(usize, char)> = solid(line).collect();
    let width = pattern.len();
    if characters.len() < 3 {
        return None;
    }
    let mut left: HashMap<(char, char), i32> = HashMap::new();
    for two in pattern.windows(2) {
        *left.entry((two[0], two[1])).or_default() += 1;
    }
    let pair = |at: usize| (characters[at].1, characters[at + 1].1);
    let (mut shared, mut best) = (0_usize, (0, 0));
    let pairs = characters.len() - 1;
    for end in 0..pairs {
        if let Some(count) = left.get_mut(&pair(end)) {
            shared += usize::from(*count > 0);
            *count -= 1;
        }
        if end >= width - 1
            && let Some(count) = left.get_mut(&pair(end - (width - 1)))
        {
            *count += 1;
            shared -= usize::from(*count > 0);
        }
        if shared > best.0 {
            best = (shared, end);
        }
    }
    let (shared, end) = best;
    let first = (end + 2).saturating_sub(width);
    let (from, _) = characters[first];
    let (last, character) = characters[end + 1];
    let to = last + line[last..].chars().next().map_or(character.len_utf8(), char::len_utf8);
    (shared > 0).then(|| (1000 * shared / (width - 1), from, to))
}

/// Returns the characters of a line that are not white space, in lower case and with ASCII punctuation instead of
/// look-alike characters, and the byte offset of each.
fn solid(line: &str) -> impl Iterator<Item = (usize, char)> {
    line.char_indices()
        .filter(|(_, character)| !is_blank(*character))
        .map(|(at, character)| (at, caseless(plain(character))))
}
