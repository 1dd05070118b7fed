//! Every integration test of this crate, in one binary, because linking each file by itself takes longer than running it.
#![expect(clippy::unwrap_used, reason = "tests build their own worlds")]

mod crew;
mod network;
mod pictures;
