//! The integration tests of this crate, in one binary, because linking each file separately takes longer than
//! running it.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests write files")]

mod cut;
mod diff;
mod encoding;
mod fixtures;
mod guard;
mod hashline;
mod line_edit;
mod lines;
mod matching;
mod names;
mod patch;
mod patch_properties;
mod properties;
mod redact;
mod terminal;
mod window;
