//! Every integration test of this crate, in one binary, because linking each file by itself takes longer than running it.
#![expect(clippy::unwrap_used, reason = "tests build their own worlds")]

mod image;
mod kind;
mod notebook;
mod office;
mod papers;
mod pdf;
mod pictures;
mod range;
