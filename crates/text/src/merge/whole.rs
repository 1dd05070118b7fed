//! A snippet that is a whole file.

use std::collections::HashMap;

use super::line::has_word;
use super::{Line, Refusal, Why, loss, pieces};
use crate::encoding::Splice;
use crate::lines::{bare, lf};

/// Refuses a snippet without markers that is not plainly all of a text: most of its lines must be there.
///
/// # Errors
///
/// With the number of missing lines, or with a name that the snippet lacks.
pub fn resembles(old: &[&str], snippet: &[Line]) -> Result<(), Refusal> {
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
    if lacks * 10 > full.len() * 3 && !is_small_file(old, snippet) {
        return Err(Refusal::whole(Why::Partial { lacks, of: full.len() }));
    }
    let new: Vec<&str> = snippet.iter().map(|line| line.text.as_str()).collect();
    loss::named(old, 0, &new, &new).map_err(Refusal::whole)
}

/// A file with at most this many lines is small enough to be sent whole.
const SMALL: usize = 40;

/// If a file has so few lines and none is indented, the snippet need not begin like it.
const TINY: usize = 8;

/// Checks whether a snippet is a small file rewritten: nearly as long, and beginning like it.
fn is_small_file(old: &[&str], snippet: &[Line]) -> bool {
    let full: Vec<&str> = old.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    let new: Vec<&str> =
        snippet.iter().map(|line| line.text.trim()).filter(|line| !line.is_empty()).collect();
    let flat = old.iter().all(|line| !line.starts_with([' ', '\t']));
    let ends = full.first() == new.first() || full.len() <= TINY && flat;
    full.len() <= SMALL && new.len() * 10 >= full.len() * 6 && ends
}

/// Returns the splices that replace a whole text by a snippet.
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
