//! The integration tests of this crate.
//!
//! They form one binary, because linking a binary for each file takes longer than running the tests.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests create their own files")]

mod codex_cases;
mod common;
mod embeddings;
mod files;
mod functions;
mod guided;
mod investigate;
mod lines;
mod names;
mod navigate;
mod operations;
#[allow(dead_code, unused_imports, reason = "its tables are in rows.rs")]
mod patches;
mod rename_symbol;
mod search_blocks;
mod session;
mod skills;
mod tasks;
