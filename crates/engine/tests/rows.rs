//! The large tables of this crate, with a test for each row.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests create their own files")]

mod blocks;
#[allow(dead_code, reason = "the tests of suite.rs use the rest")]
mod common;
#[allow(dead_code, unused_imports, reason = "its other tests are in suite.rs")]
mod patches;

fn main() -> std::process::ExitCode {
    toolpost_test_rows::table::main([
        blocks::replacement_blocks_match_the_roo_code_suite(),
        patches::patches_of_other_suites_have_the_expected_outcome(),
    ])
}
