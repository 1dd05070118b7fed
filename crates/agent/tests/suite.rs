//! The integration tests of this crate, in one binary, because linking each file separately takes longer than
//! running it.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod crew;
mod network;
mod pictures;
