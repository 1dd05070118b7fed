//! The programs in a shell command, and their effects: files read and written, programs run.
//!
//! The grammar is bash's, so it is a superset of `sh`. A part of a command is reported as unsure if the grammar does not
//! know it, if the grammar and this reader disagree about it, or if its effect is known only when it runs. No part is
//! skipped.

mod check;
mod effects;
mod options;
mod places;
mod programs;
mod read;
mod redirects;
mod scripts;
mod searches;
mod segment;
mod word;
mod wrappers;

pub use options::Options;
pub use segment::{Assignment, Effect, Places, Reach, Role, Script, Search, Segment, UnknownPart};
pub use word::{Certainty, Word, quoted};

/// Reads a text that a shell would run.
#[must_use]
pub fn read(text: &str) -> Script {
    read::script(text, 0)
}

/// Reads a program and its arguments, which no shell looks at.
#[must_use]
pub fn read_words(words: &[String]) -> Script {
    let mut script = Script::default();
    let words: Vec<Word> = words.iter().map(|word| Word::known_as(word)).collect();
    read::wrap::segment(&mut script, Segment::of(words), 0);
    script.places = places::of(&script.segments);
    script
}
