//! The tool dialects, one directory each: names, arguments, texts and replies.

pub mod claude;
pub mod code;
mod common;
pub mod opencode;
pub mod probe;
pub mod terminal;
pub mod trae;
pub mod zblade;

use toolpost_tool::Dialect;

/// All dialects, in listing order.
pub const ALL: [&Dialect; 5] =
    [&claude::DIALECT, &trae::DIALECT, &zblade::DIALECT, &opencode::DIALECT, &probe::DIALECT];

/// Dialects served in addition to another one: tools that find and call tools.
pub const EXTRA: [&Dialect; 1] = [&code::DIALECT];

/// Dialects that only Toolpost's own commands use; no setting can select them.
pub const INTERNAL: [&Dialect; 1] = [&terminal::DIALECT];

/// Finds a dialect by name, ignoring case.
#[must_use]
pub fn named(name: &str) -> Option<&'static Dialect> {
    ALL.into_iter().find(|dialect| dialect.name.eq_ignore_ascii_case(name))
}
