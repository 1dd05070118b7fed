//! The integration tests of this crate, in one binary, because linking each file separately takes longer than running
//! it.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests create their own files, and fail by panicking"
)]

#[allow(dead_code, unused_imports, reason = "its tables are in rows.rs")]
mod commands;
mod hidden_names;
mod hosts;
