//! The integration tests of this crate, in one binary, because linking each file separately takes longer than
//! running it.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests write files")]

mod cut;
mod diff;
mod encoding;
mod fixtures;
#[allow(dead_code, unused_imports, reason = "its tables are in rows.rs")]
mod guard;
mod hashline;
mod line_edit;
mod lines;
#[allow(dead_code, unused_imports, reason = "its tables are in rows.rs")]
mod matching;
mod names;
mod patch;
mod patch_properties;
mod properties;
#[allow(dead_code, unused_imports, reason = "its tables are in rows.rs")]
mod redact;
#[allow(dead_code, unused_imports, reason = "its tables are in rows.rs")]
mod terminal;
mod window;
