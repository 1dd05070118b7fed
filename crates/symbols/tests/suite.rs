//! The integration tests of this crate, in one binary, because linking each file separately takes longer than
//! running it.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests write files")]

mod accounted;
mod common;
mod complete;
mod cycles;
#[path = "../../syntax/tests/expected/mod.rs"]
mod expected;
mod external_answers;
mod fresh;
mod generated;
mod known;
mod links;
mod store;
mod traps;
