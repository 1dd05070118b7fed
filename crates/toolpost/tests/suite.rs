//! The integration tests, in one binary.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests create their own files, and fail by panicking"
)]

mod approvals;
mod code_search;
mod embed_page;
mod embedding;
mod example_program;
mod own_dialect;
mod settings;
mod tool_loop;
