//! What a line of shell would do: every command in it, and what each reads, writes and runs besides.
//!
//! The grammar is bash's, so it is a superset of what `sh` knows. What the grammar does not know, what it and this reading
//! see differently, and what cannot be known before it runs, is reported as unsure, never passed over.

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
pub use segment::{Assignment, Effect, Places, Reach, Role, Script, Search, Segment, Unsure};
pub use word::{Sure, Word, quoted};

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
