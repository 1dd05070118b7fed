//! Parse trees: languages, blocks, items, and the definitions and uses in a file.
//!
//! A language is a directory in `languages/`: a table of its grammar's nodes, and queries for the names that
//! a file uses. A tree is a parsed text; items are its named parts. Nothing here reads or writes files.
#![cfg_attr(
    not(feature = "grammars"),
    expect(dead_code, reason = "some rules are used only by languages that this build omits")
)]

mod bounded;
mod captures;
mod change;
mod entries;
mod facts;
mod find;
mod grammar;
mod headings;
mod ids;
mod item;
mod language;
pub mod merge;
mod naming;
mod outline;
mod pattern;
mod queries;
mod read;
mod shape;
mod tree;

pub use bounded::{ParseError, parse_bounded};
pub use change::{NamedSymbol, SymbolEdit, SymbolError, change, first_named, named};
pub use facts::{
    Binding, BindingKind, Facts, Import, ImportTarget, ImportVisibility, NameToken, Reference, Scope,
    TokenForm, Usage,
};
pub use find::{Resolution, find};
pub use ids::{Id, id, ids};
pub use item::{Item, Kind};
pub use language::Language;
pub use outline::{Symbol, enclosing, segments};
pub use pattern::{Hole, Pattern, PatternMatch, PatternSyntaxError};
pub use shape::{Base, Chain, Step};
pub use tree::{Tree, added_error};
