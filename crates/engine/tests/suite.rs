//! The integration tests of this crate, in one binary, because linking each file separately takes longer than running
//! it.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests build their own worlds")]

mod blocks;
mod common;
mod files;
mod guided;
mod investigate;
mod lines;
mod looking;
mod names;
mod navigate;
mod operations;
mod patches;
mod rename_symbol;
mod session;
mod skills;
mod tasks;
