//! All integration tests of this crate in one binary, because linking each file separately takes longer than
//! running it.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests use files and sockets directly")]

mod code;
mod fetch;
mod html;
mod proxy;
