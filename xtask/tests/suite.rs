//! Every integration test of this crate, in one binary, because linking each file by itself takes longer than running it.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests build their own worlds")]

mod api;
mod bench;
mod builds;
mod ci;
mod docs;
mod explore;
mod licences;
mod new;
mod parity;
mod tidy;
