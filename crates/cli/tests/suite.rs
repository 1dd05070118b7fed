//! The integration tests of this crate, in one binary, because linking each file separately takes longer than
//! running it.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests create their own workspaces")]

mod bad_input;
mod behaviours;
mod call;
mod command_limits;
mod commands;
mod common;
mod embedding;
mod help;
mod history;
mod index;
mod limits;
mod narrow;
mod operator;
mod outside;
mod parallel;
mod policy;
mod published;
mod refusals;
mod skills;
mod symbols;
mod tasks;
mod terminal;
