//! Tests with snippets that omit code, from the test suite of the editor extension Continue.

use std::path::Path;

use serde_json::Value;
use toolpost_syntax::{Language, merge};
use toolpost_test_rows::table::Table;
use toolpost_text::merge::apply;

pub(crate) fn continue_fixtures_merge_as_expected_or_are_refused() -> Table {
    let rows: Vec<Value> =
        serde_json::from_str(include_str!("fixtures/continue-edit/lazy_apply.json")).unwrap();
    assert_eq!(rows.len(), 13, "a row was added or lost");
    let label = |row: &Value| row["id"].as_str().unwrap().to_owned();
    Table::new("fixtures::continue_fixtures_merge_as_expected_or_are_refused", rows, label, |row| {
        let text = |key: &str| row[key].as_str().unwrap();
        let language = Language::of_path(Path::new(text("file_name")));
        let merged = merge::merge(text("old"), text("content"), language);
        let got = merged.map(|merged| apply(text("old"), &merged.splices));
        let right = got.as_ref().is_ok_and(|got| plain(got) == plain(text("expected")));
        // The expected text of upstream drops these methods. Here they are kept, because the snippet does not
        // mention them.
        let keeps = |got: &String| got.contains("  getResult() {\n") && got.contains("  reset() {\n");
        let allowed = right || text("verdict") == "refuse_ok" && got.as_ref().map_or(true, keeps);
        assert!(allowed, "{}: {got:#?}", text("verdict"));
    })
}

/// Ignores white space at line ends and runs of empty lines, like the comparison of the original suite.
fn plain(text: &str) -> Vec<&str> {
    let mut out: Vec<&str> = Vec::new();
    for line in text.trim().lines().map(str::trim_end) {
        if !(line.is_empty() && out.last().is_some_and(|last| last.is_empty())) {
            out.push(line);
        }
    }
    out
}
