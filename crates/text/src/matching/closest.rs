//! Search for the lines of a file that are most similar to an edit's old text.
//!
//! Errors show these lines; edits never change them.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use memchr::memmem;

use super::fold::{caseless, is_blank, plain};
use super::{ClosestLines, LineDifference, Miss, long_line, show};

/// Maximum number of lines of the old text that the search for similar lines uses; the rest is ignored.
const MAX_LINES: usize = 100;

/// Maximum number of characters of a line that determine its similarity; the rest is ignored.
const MAX_WIDTH: usize = 200;

/// Maximum number of locations that each of the two quick ratings ([`equal_lines`], [`alike_lines`]) proposes for the
/// close comparison.
const CANDIDATES: usize = 10;

/// Maximum number of equal lines that [`equal_lines`] counts; the rest of the file is ignored.
const MAX_VOTES: usize = 200_000;

/// Maximum number of lines by which a line of the old text may be displaced in the file, because lines before it were
/// inserted or omitted.
const DRIFT: usize = 3;

/// Minimum length of a new text, in characters without white space, for which [`already_there`] searches the file.
const SHORT: usize = 8;

/// Minimum similarity to the old text of the lines that an error shows, in thousandths.
pub(super) const LEAST: usize = 500;

/// Builds the error for an old text that is not in the file. It contains the most similar lines, and the line at
/// which the file already has the new text.
pub(super) fn absent(view: &str, old: &str, new: &str) -> Miss {
    Miss::Absent { closest: closest(view, old), already_there: already_there(view, new) }
}

/// Returns the number of the line at which the file contains the new text, if it does so exactly once.
fn already_there(view: &str, new: &str) -> Option<usize> {
    // A shorter text can occur by chance.
    if solid(new).filter(|character| *character != '\n').take(SHORT).count() < SHORT {
        return None;
    }
    let mut found = memmem::find_iter(view.as_bytes(), new);
    let at = found.next()?;
    found.next().is_none().then(|| memchr::memchr_iter(b'\n', &view.as_bytes()[..at]).count() + 1)
}

/// Finds the lines of a file, or else the part of one line, that are most similar to an old text; `None` if nothing is
/// similar enough.
pub(crate) fn closest(view: &str, old: &str) -> Option<ClosestLines> {
    let wanted: Vec<&str> = old.split('\n').skip_while(|line| line.trim().is_empty()).collect();
    let full = wanted.iter().rposition(|line| !line.trim().is_empty())? + 1;
    let wanted = &wanted[..full.min(MAX_LINES)];
    let lines: Vec<&str> = view.split('\n').collect();
    let mut best: Option<((usize, usize), usize)> = None;
    for start in candidates(&lines, wanted) {
        let alike = likeness(&lines[start..], wanted, caseless);
        if alike < LEAST {
            continue;
        }
        // Among equally similar locations, the one with the same letter case wins.
        let score = (alike, likeness(&lines[start..], wanted, |character| character));
        if best.is_none_or(|(most, _)| score > most) {
            best = Some((score, start));
        }
    }
    let Some((_, start)) = best else { return long_line::closest(&lines, wanted) };
    let end = (start + wanted.len()).min(lines.len());
    let like = trimmed(&lines[start..end], wanted);
    let (start, end) = (start + like.start, start + like.end);
    let part = lines.get(start..end)?;
    Some(ClosestLines {
        first_line: start + 1,
        last_line: end,
        shown: show::lines(part),
        diff: show::difference(wanted, part, start + 1),
        differs: difference(part, wanted),
    })
}

/// Classifies the difference between the lines of the file and those of the old text.
fn difference(lines: &[&str], wanted: &[&str]) -> LineDifference {
    // The characters themselves are compared, because a quote or dash that only looks the same is another difference.
    let exact = |line: &str| line.chars().filter(|&character| !is_blank(character)).collect::<String>();
    let squeeze = |lines: &[&str]| -> String { lines.iter().map(|line| exact(line)).collect() };
    let lower = |line: &str| -> String { exact(line).chars().map(caseless).collect() };
    let is_same = |line: &&str, other: &&str| lower(line) == lower(other);
    if squeeze(lines) == squeeze(wanted) {
        LineDifference::Whitespace
    } else if lines.len() == wanted.len()
        && lines.iter().zip(wanted).all(|(line, other)| is_same(line, other))
    {
        let space = |lines: &[&str]| -> Vec<String> {
            lines
                .iter()
                .map(|line| line.chars().map(|c| if is_blank(c) { c } else { '_' }).collect())
                .collect()
        };
        if space(lines) == space(wanted) { LineDifference::Case } else { LineDifference::CaseAndWhitespace }
    } else {
        LineDifference::Text
    }
}

/// Returns the range of the lines at a location, without the lines at both ends that resemble no line of the
/// old text. The lines are compared in their order.
fn trimmed(lines: &[&str], wanted: &[&str]) -> Range<usize> {
    let all = |lines: &[&str]| -> Vec<_> { lines.iter().map(|line| pairs(line, caseless)).collect() };
    let (theirs, ours) = (all(lines), all(wanted));
    let alike = |at: usize, index: usize| {
        let both = theirs[at].len() + ours[index].len();
        (2000 * shared(&theirs[at], &ours[index])).checked_div(both).filter(|alike| *alike >= LEAST)
    };
    // `best[at][index]` is the greatest total similarity of the lines from `at` on and the lines of the old text from
    // `index` on.
    let mut best = vec![vec![0; ours.len() + 1]; theirs.len() + 1];
    for at in (0..theirs.len()).rev() {
        for index in (0..ours.len()).rev() {
            let paired = alike(at, index).map_or(0, |alike| alike + best[at + 1][index + 1]);
            best[at][index] = paired.max(best[at + 1][index]).max(best[at][index + 1]);
        }
    }
    let (mut at, mut index, mut found) = (0, 0, None);
    while at < theirs.len() && index < ours.len() {
        if alike(at, index).is_some_and(|alike| alike + best[at + 1][index + 1] == best[at][index]) {
            found = Some(found.map_or(at..at + 1, |found: Range<usize>| found.start..at + 1));
            (at, index) = (at + 1, index + 1);
        } else if best[at][index] == best[at + 1][index] {
            at += 1;
        } else {
            index += 1;
        }
    }
    found.unwrap_or(0..lines.len())
}

/// Selects the locations that are compared closely, as the numbers of their first lines.
fn candidates(lines: &[&str], wanted: &[&str]) -> Vec<usize> {
    let equal = equal_lines(lines, wanted).into_iter().map(|(start, votes)| (votes, start)).collect();
    let mut starts = Vec::new();
    for mut ranked in [equal, alike_lines(lines, wanted)] {
        ranked.sort_by(|a: &(usize, usize), b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        starts.extend(ranked.into_iter().take(CANDIDATES).map(|(_, start)| start));
    }
    starts
}

/// Finds lines that equal a line of the old text apart from white space, letter case and look-alike punctuation. Each
/// is a vote, weighted by its length, for the location to which the old text would then belong. Returns the votes by
/// the first line of the location.
fn equal_lines(lines: &[&str], wanted: &[&str]) -> HashMap<usize, usize> {
    let mut known: HashMap<u64, Vec<(usize, usize)>> = HashMap::new();
    for (index, line) in wanted.iter().enumerate() {
        let weight = solid(line).take(40).count();
        let places = known.entry(hash(line)).or_default();
        if weight > 2 && places.len() < 8 {
            places.push((index, weight));
        }
    }
    let mut votes = HashMap::new();
    let mut left = MAX_VOTES;
    for (at, line) in lines.iter().enumerate() {
        for &(index, weight) in known.get(&hash(line)).into_iter().flatten() {
            left = left.saturating_sub(1);
            if at >= index && left > 0 {
                *votes.entry(at - index).or_insert(0) += weight;
            }
        }
    }
    votes
}

/// Rates the lines of the file by the groups of three characters that they share with the longest lines of the old
/// text. Returns each rating with the first line of the location to which the old text would then belong.
fn alike_lines(lines: &[&str], wanted: &[&str]) -> Vec<(usize, usize)> {
    let mut longest: Vec<(usize, u128)> = wanted.iter().map(|line| signature(line)).enumerate().collect();
    longest.sort_by_key(|&(index, bits)| (Reverse(bits.count_ones()), bits, index));
    longest.dedup_by_key(|&mut (_, bits)| bits);
    longest.truncate(8);
    let mut ranked = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let bits = signature(line);
        for &(index, known) in &longest {
            let all = (bits | known).count_ones() as usize;
            let shared = (bits & known).count_ones() as usize;
            if at >= index && shared > 0 && shared * 3 >= all {
                ranked.push((shared * 1000 / all * shared, at - index));
            }
        }
        if ranked.len() > 4096 {
            ranked.select_nth_unstable_by_key(64, |&(score, start)| (Reverse(score), start));
            ranked.truncate(64);
        }
    }
    ranked
}

/// Returns the similarity, in thousandths, of lines to the lines of the old text. Each of these may be displaced by up
/// to [`DRIFT`] lines, for a small deduction. Longer lines count for more. Characters are compared after `fold`.
fn likeness(lines: &[&str], wanted: &[&str], fold: fn(char) -> char) -> usize {
    let theirs: Vec<_> = lines.iter().take(wanted.len() + DRIFT).map(|line| pairs(line, fold)).collect();
    let (mut all, mut alike) = (0, 0);
    for (index, line) in wanted.iter().enumerate() {
        let ours = pairs(line, fold);
        let around = theirs.iter().enumerate().take(index + DRIFT + 1).skip(index.saturating_sub(DRIFT));
        let best = around.map(|(at, theirs)| {
            let both = ours.len() + theirs.len();
            let likeness = (2000 * shared(&ours, theirs)).checked_div(both).unwrap_or(0);
            likeness.saturating_sub(30 * at.abs_diff(index))
        });
        all += ours.len();
        alike += ours.len() * best.max().unwrap_or(0);
    }
    alike.checked_div(all).unwrap_or(0)
}

/// Returns the sorted pairs of adjacent characters of a line after `fold`; a single character forms a pair with NUL.
fn pairs(line: &str, fold: fn(char) -> char) -> Vec<(char, char)> {
    let characters: Vec<char> = folded(line, fold).take(MAX_WIDTH).collect();
    let mut pairs: Vec<(char, char)> = characters.windows(2).map(|two| (two[0], two[1])).collect();
    if let [only] = characters.as_slice() {
        pairs.push((*only, '\0'));
    }
    pairs.sort_unstable();
    pairs
}

/// Counts the common entries of two sorted lists.
fn shared(ours: &[(char, char)], theirs: &[(char, char)]) -> usize {
    let (mut a, mut b, mut count) = (0, 0, 0);
    while let (Some(one), Some(other)) = (ours.get(a), theirs.get(b)) {
        count += usize::from(one == other);
        (a, b) = (a + usize::from(one <= other), b + usize::from(other <= one));
    }
    count
}

/// Returns the groups of three characters in a line, ignoring letter case, as a set of 128 bits.
fn signature(line: &str) -> u128 {
    let mut bits = 0_u128;
    let (mut one, mut two) = ('\0', '\0');
    for three in folded(line, caseless).take(80) {
        let code = [one, two, three]
            .into_iter()
            .fold(17_u32, |code, c| code.wrapping_mul(0x0100_0193) ^ u32::from(c));
        bits |= 1 << (code.wrapping_mul(0x9E37_79B1) >> 25);
        (one, two) = (two, three);
    }
    bits
}

/// Returns the hash of a line without white space and letter case. Lines with the same hash are compared closely
/// afterwards.
fn hash(line: &str) -> u64 {
    folded(line, caseless).fold(0, |hash: u64, character| {
        (hash.rotate_left(5) ^ u64::from(character)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    })
}

/// Returns the characters of a line without white space, and with ASCII punctuation instead of look-alike
/// characters.
fn solid(line: &str) -> impl Iterator<Item = char> {
    line.chars().filter(|&character| !is_blank(character)).map(plain)
}

/// Returns the characters of a line as [`solid`] does, each after `fold`.
fn folded(line: &str, fold: fn(char) -> char) -> impl Iterator<Item = char> {
    solid(line).map(fold)
}
