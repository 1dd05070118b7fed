//! The large tables of this crate, with a test for each row.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests read files, and fail by panicking"
)]

#[allow(dead_code, unused_imports, reason = "its other tests are in suite.rs")]
mod guard;
#[allow(dead_code, unused_imports, reason = "its other tests are in suite.rs")]
mod matching;
#[allow(dead_code, unused_imports, reason = "its other tests are in suite.rs")]
mod redact;
#[allow(dead_code, unused_imports, reason = "its other tests are in suite.rs")]
mod terminal;

fn main() -> std::process::ExitCode {
    toolpost_test_rows::table::main([
        guard::omission_placeholders_are_detected(),
        guard::omission_placeholders_of_the_gemini_suite_are_detected(),
        guard::prose_may_quote_placeholders_for_code(),
        matching::first_matching_step_with_a_hit_is_used(),
        matching::white_space_inside_lines_is_ignored_only_in_the_last_step(),
        redact::secrets_of_known_forms_are_redacted_and_other_text_is_kept(),
        terminal::terminal_output_is_converted_to_plain_text(),
    ])
}
