//! Merging of a snippet that contains the whole file.

use std::collections::{HashMap, HashSet};

use super::line::has_word;
use super::{Line, Refusal, RefusalReason, heading, loss, pieces};
use crate::encoding::Splice;
use crate::lines::{bare, lf};

/// Refuses a snippet without markers that is not clearly the whole text: it must have most lines of the text, or be
/// a rewritten small file. Returns the notes for the reply.
///
/// # Errors
///
/// If too many lines, or the definition of a name, are missing; the error has the number of missing lines, or the
/// names.
pub fn resembles(old: &[&str], snippet: &[Line]) -> Result<Vec<String>, Refusal> {
    let mut there: HashMap<&str, usize> = HashMap::new();
    for line in snippet {
        *there.entry(line.text.trim()).or_default() += 1;
    }
    let full: Vec<&str> = old.iter().map(|line| line.trim()).filter(|line| has_word(line)).collect();
    let lacks = full.iter().filter(|line| match there.get_mut(**line) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    });
    let lacks = lacks.count();
    let rewrites = lacks * 10 > full.len() * 3;
    if rewrites && !is_small_file(old, snippet) {
        return Err(Refusal::whole(RefusalReason::Partial { lacks, of: full.len() }));
    }
    let new: Vec<&str> = snippet.iter().map(|line| line.text.as_str()).collect();
    loss::named(old, 0, &new, &new).map_err(Refusal::whole)?;
    let note = "replaced the whole file, because the code marks no omissions and is complete";
    Ok(if rewrites { vec![note.to_owned()] } else { Vec::new() })
}

/// A file with at most this many lines is small enough that a model sends it whole.
const SMALL: usize = 40;

/// Checks whether a snippet is a rewritten small file: nearly as long as the file, and with a sign that it is
/// complete.
fn is_small_file(old: &[&str], snippet: &[Line]) -> bool {
    let full: Vec<&str> = old.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    let new: Vec<&str> =
        snippet.iter().map(|line| line.text.trim()).filter(|line| !line.is_empty()).collect();
    let is_long = full.len() <= SMALL && new.len() * 10 >= full.len() * 6;
    is_long && (begins_alike(&full, &new) || sets_the_same_keys(old, snippet))
}

/// Checks whether two texts have the same first line. A first line without a word, such as `{`, begins many
/// files, so then the last lines must also be equal.
fn begins_alike(full: &[&str], new: &[&str]) -> bool {
    let first = full.first().filter(|first| new.first() == Some(*first));
    first.is_some_and(|first| has_word(first) || full.last() == new.last())
}

/// Checks whether every line of a file that contains a word sets a key, and the snippet sets all of these keys.
fn sets_the_same_keys(old: &[&str], snippet: &[Line]) -> bool {
    let set: HashSet<&str> = snippet.iter().filter_map(|line| heading::setting(&line.text)).collect();
    old.iter()
        .filter(|line| has_word(line))
        .all(|line| heading::setting(line).is_some_and(|key| set.contains(key)))
}

/// Returns the changes (splices) that replace a whole text by a snippet.
#[must_use]
pub fn replace_all(original: &str, text: &str) -> Vec<Splice> {
    let lines = super::snippet(text);
    let text = lf(text);
    let new: Vec<String> = if lines.len() == bare(&text).len() {
        bare(&text).into_iter().map(str::to_owned).collect()
    } else {
        lines.into_iter().map(|line| line.text).collect()
    };
    pieces::exact(original, &bare(original), new)
}
