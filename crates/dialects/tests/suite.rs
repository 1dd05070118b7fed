//! The integration tests of this crate, in one binary, because linking each file separately takes longer than
//! running it.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests create their own workspaces")]

mod aliases;
mod bounds;
mod budgets;
mod claude;
mod commands;
mod common;
mod dependencies;
mod documents;
mod edit_replies;
mod editor;
#[allow(dead_code, unused_imports, reason = "its tables are in rows.rs")]
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
#[allow(dead_code, unused_imports, reason = "its tables are in rows.rs")]
mod pages;
mod positions;
mod probe;
mod probe_trees;
mod remote_service;
mod room;
mod scripts;
mod trae;
mod trae_schemas;
mod unsearched;
mod webfetch;
mod zblade;
