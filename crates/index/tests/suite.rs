//! The integration tests of this crate, in one binary, because linking each file separately takes longer than running
//! it.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests build their own worlds")]

mod accounted;
mod common;
mod complete;
mod embed_rows;
#[path = "../../syntax/tests/expected/mod.rs"]
mod expected;
mod fresh;
mod generated;
mod known;
mod links;
mod local_model;
mod meaning;
mod ranked_definitions;
mod ranked_killed;
mod ranked_rounds;
mod ranked_rows;
mod store;
mod told;
mod traps;
