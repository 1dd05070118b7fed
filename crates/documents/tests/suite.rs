//! All integration tests of this crate in one binary, because linking each file separately takes longer than
//! running it.
#![expect(clippy::unwrap_used, reason = "a test fails on an unexpected error")]

mod image;
mod kind;
mod notebook;
mod office;
mod papers;
mod pdf;
mod pictures;
mod range;
