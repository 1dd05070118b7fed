//! Who says it how: one folder each.

pub mod claude;
pub mod code;
mod common;
pub mod opencode;
pub mod probe;
pub mod trae;
pub mod zblade;

use toolpost_tool::Dialect;

/// All dialects, in the order in which they are listed.
pub const ALL: [&Dialect; 5] =
    [&claude::DIALECT, &trae::DIALECT, &zblade::DIALECT, &opencode::DIALECT, &probe::DIALECT];

/// What is spoken beside another dialect: tools that find tools and call them.
pub const BESIDE: [&Dialect; 1] = [&code::DIALECT];

/// Finds a dialect by its name, in any letter case.
#[must_use]
pub fn named(name: &str) -> Option<&'static Dialect> {
    ALL.into_iter().find(|dialect| dialect.name.eq_ignore_ascii_case(name))
}
