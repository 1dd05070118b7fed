//! Who says it how: one folder each.

pub mod claude;

use toolpost_tool::Dialect;

/// All dialects, in the order in which they are listed.
pub const ALL: [&Dialect; 1] = [&claude::DIALECT];

/// Finds a dialect by its name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Dialect> {
    ALL.into_iter().find(|dialect| dialect.name == name)
}
