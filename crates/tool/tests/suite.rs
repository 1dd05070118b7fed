//! The integration tests of this crate, in one binary, because linking each file separately takes longer than
//! running it.
#![expect(clippy::unwrap_used, reason = "tests build their own worlds")]

mod check;
mod decode;
mod page;
mod patch;
