//! The large tables of this crate, with a test for each row.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests create their own workspaces")]

#[allow(dead_code, reason = "the tests of suite.rs use the rest")]
mod common;
#[allow(dead_code, unused_imports, reason = "its other tests are in suite.rs")]
mod edits;
#[allow(dead_code, unused_imports, reason = "its other tests are in suite.rs")]
mod pages;
mod same_edit;

fn main() -> std::process::ExitCode {
    let tables = [
        pages::examples_of_every_tool_page_reply_as_documented(),
        same_edit::failed_edits_are_equal_and_change_no_file(),
        same_edit::text_replacements_are_equal_in_every_dialect(),
        same_edit::whole_file_changes_are_equal_in_every_dialect(),
    ];
    let edits = edits::replacement_fixtures_have_allowed_outcomes_in_every_dialect();
    toolpost_test_rows::table::main(tables.into_iter().chain(edits))
}
