//! The integration tests, in one binary.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests build their own projects")]

mod embedding;
mod settings;
mod tool_loop;
