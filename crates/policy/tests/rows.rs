//! The large tables of this crate, with a test for each row.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests create their own files, and fail by panicking"
)]

#[allow(dead_code, unused_imports, reason = "its other tests are in suite.rs")]
mod commands;

fn main() -> std::process::ExitCode {
    toolpost_test_rows::table::main([commands::sources_of_copies_are_read_and_destinations_are_written()])
}
