//! Every integration test of this crate, in one binary, because linking each file by itself takes longer than running it.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests build their own worlds")]

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
mod parallel;
mod policy;
mod published;
mod refusals;
mod skills;
mod symbols;
mod tasks;
