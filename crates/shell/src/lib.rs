//! Parser of shell commands: the programs that they run, and their effects, such as files read and written.
//!
//! The grammar is that of bash, a superset of `sh`. A part of a command is reported as unsure if the grammar
//! does not know it, if the checks of this crate find that a shell may read it differently, or if its effect
//! is known only when it runs. No part is skipped.

mod check;
mod contents;
mod copies;
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
pub use segment::{
    Assignment, Contents, Effect, Places, Role, Script, Search, Segment, UnknownPart, VariableScope,
};
pub use word::{Certainty, Word, quoted};

/// Parses a text that a shell would run: finds its commands and their effects.
#[must_use]
pub fn read(text: &str) -> Script {
    read::script(text, 0)
}

/// Parses a command without a shell: a program and its arguments.
#[must_use]
pub fn read_words(words: &[String]) -> Script {
    let mut script = Script::default();
    let words: Vec<Word> = words.iter().map(|word| Word::known_as(word)).collect();
    read::wrap::segment(&mut script, Segment::of(words), 0);
    script.places = places::of(&script.segments);
    script
}
