//! Every integration test of this crate, in one binary, because linking each file by itself takes longer than running it.
#![expect(clippy::disallowed_methods, reason = "tests build their own worlds")]

mod bound;
mod cases;
mod change;
mod common;
mod cuts;
mod deep;
mod expected;
mod facts;
mod find;
mod fixtures;
mod loose;
mod merges;
mod pattern;
mod properties;
mod sixteen;
mod told;
mod traps;
mod trees;
