//! Every integration test of this crate, in one binary, because linking each file by itself takes longer than running it.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests build their own worlds")]

mod aliases;
mod bounds;
mod budgets;
mod claude;
mod commands;
mod common;
mod consulted;
mod dependencies;
mod documents;
mod editor;
mod edits;
mod effects;
mod guarded_names;
mod guides;
mod hints;
mod incomplete;
mod instructions;
mod large;
mod listing;
mod opencode;
mod pages;
mod positions;
mod probe;
mod probe_trees;
mod room;
mod same_edit;
mod scripts;
mod trae;
mod trae_schemas;
mod unsearched;
mod webfetch;
mod zblade;
