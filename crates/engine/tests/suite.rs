//! The integration tests of this crate.
//!
//! They form one binary, because linking a binary for each file takes longer than running the tests.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests create their own files")]

mod blocks;
mod codex_cases;
mod common;
mod embeddings;
mod files;
mod guided;
mod investigate;
mod lines;
mod names;
mod navigate;
mod operations;
mod patches;
mod rename_symbol;
mod search_blocks;
mod session;
mod skills;
mod tasks;
