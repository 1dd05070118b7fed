//! The integration tests of this crate, in one binary, because linking each file separately takes longer than
//! running it.
#![expect(clippy::disallowed_methods, reason = "tests create their own files")]

mod bound;
#[allow(dead_code, unused_imports, reason = "its tables are in rows.rs")]
mod change;
mod common;
mod cuts;
mod deep;
mod expected;
mod facts;
mod file_facts;
#[allow(dead_code, unused_imports, reason = "its tables are in rows.rs")]
mod find;
mod loose;
mod merges;
mod merges_of_code;
mod properties;
mod sixteen;
mod traps;
mod trees;
