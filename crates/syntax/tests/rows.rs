//! The large tables of this crate, with a test for each row.
#![expect(clippy::unwrap_used, reason = "a test fails on an unexpected error")]

mod cases;
#[allow(dead_code, unused_imports, reason = "its other tests are in suite.rs")]
mod change;
#[allow(dead_code, unused_imports, reason = "its other tests are in suite.rs")]
mod find;
mod fixtures;
mod pattern;

fn main() -> std::process::ExitCode {
    toolpost_test_rows::table::main([
        cases::a_complete_file_replaces_the_old_one_and_lists_removals(),
        cases::a_snippet_equal_to_the_file_changes_nothing(),
        cases::every_case_gives_its_diff_or_refusal(),
        cases::merges_keep_unnamed_items_and_can_be_undone(),
        cases::merges_preserve_line_endings_and_byte_order_marks(),
        change::names_that_match_no_single_symbol_change_nothing(),
        change::symbols_are_replaced_and_code_is_inserted_beside_them(),
        find::names_resolve_to_the_expected_symbols(),
        fixtures::continue_fixtures_merge_as_expected_or_are_refused(),
        pattern::patterns_match_the_expected_code(),
    ])
}
