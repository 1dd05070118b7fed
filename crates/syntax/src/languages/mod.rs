//! The languages for which there is a parser, one table each.

mod c;
mod cpp;
mod csharp;
mod go;
mod java;
mod javascript;
mod php;
mod python;
mod ruby;
mod rust;
mod typescript;

use crate::grammar::Grammar;

/// All of them; where two share an extension, the first is meant.
pub(crate) const ALL: &[&Grammar] = &[
    &c::GRAMMAR,
    &cpp::GRAMMAR,
    &csharp::GRAMMAR,
    &go::GRAMMAR,
    &java::GRAMMAR,
    &javascript::GRAMMAR,
    &php::GRAMMAR,
    &python::GRAMMAR,
    &ruby::GRAMMAR,
    &rust::GRAMMAR,
    &typescript::PLAIN,
    &typescript::TSX,
];
