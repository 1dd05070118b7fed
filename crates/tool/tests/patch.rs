//! Tests of patches wrapped in the JSON of another tool's call.

use serde_json::json;
use std::time::Duration;
use tempfile::TempDir;
use toolpost_engine::{Engine, Fresh, operations::change::ChangeTarget};
use toolpost_test_rows::each;
use toolpost_text::matching::Step;
use toolpost_tool::{Budget, Dialect, TruncationPolicy};
use toolpost_workspace::{Options, Workspace};

const DIALECT: Dialect = Dialect {
    name: "test",
    tools: &[],
    pages: &[],
    instructions: "",
    budget: Budget { bytes: 1_000, lines: 1_000, cut: TruncationPolicy::Head },
    deadline: Duration::from_secs(1),
    fresh: Fresh::NOT_ASKED,
    matching: Step::Exact,
    say: |_| String::new(),
};

/// Lowers a patch; returns each path and its change.
fn lower(text: &str, known: Option<&str>) -> Result<Vec<(String, &'static str)>, String> {
    let root = TempDir::new().unwrap();
    let roots = vec![root.path().to_path_buf()];
    let (workspace, _) = Workspace::open(Options { roots, ..Options::default() }).unwrap();
    let engine = Engine::new(workspace);
    let changes = DIALECT.lowering(&engine).patch(text, known).map_err(|failure| failure.what)?;
    let text = changes.into_iter().map(|change| {
        let what = match change.at {
            ChangeTarget::Whole(_) => "whole",
            ChangeTarget::Hunks(_) => "hunks",
            ChangeTarget::Gone(_) => "gone",
            ChangeTarget::Elsewhere { .. } => "elsewhere",
            _ => "other",
        };
        (change.path.display(), what)
    });
    Ok(text.collect())
}

#[test]
fn json_wrappers_around_patches_are_removed() {
    let patch = "*** Begin Patch\n*** Add File: f\n+a\n*** End Patch";
    let script = format!("cd d && apply_patch <<'EOF'\n{patch}\nEOF\n");
    let rows = [
        (patch.to_owned(), "f"),
        (json!({"command": ["apply_patch", patch]}).to_string(), "f"),
        (json!({"command": ["bash", "-lc", script]}).to_string(), "d/f"),
        (json!({"command": script}).to_string(), "d/f"),
        (json!({"input": patch}).to_string(), "f"),
        (json!({"patch": patch}).to_string(), "f"),
        (json!({"patch_text": patch}).to_string(), "f"),
        (json!({"patchText": json!({"patch": patch}).to_string()}).to_string(), "f"),
        (json!(["apply_patch", patch]).to_string(), "f"),
        (json!(["bash", "-lc", patch]).to_string(), "f"),
        (json!(patch).to_string(), "f"),
    ];
    each(rows, |(text, path)| {
        assert_eq!(lower(&text, None), Ok(vec![(path.to_owned(), "whole")]), "{text}");
    });
}

#[test]
fn patch_sections_become_file_changes() {
    let patch =
        "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-1\n+2\n*** Delete File: c\n*** End Patch";
    let wanted = [("a", "hunks"), ("a", "elsewhere"), ("c", "gone")];
    assert_eq!(lower(patch, None), Ok(wanted.map(|(path, what)| (path.to_owned(), what)).to_vec()));
    assert_eq!(lower("@@ ... @@\n-1\n+2\n", Some("a")), Ok(vec![("a".to_owned(), "hunks")]));
    let what = "Invalid patch: The first line of the patch must be '*** Begin Patch'; line 1 is '{\"command\":[\"ls\"]}'.";
    assert_eq!(lower(&json!({"command": ["ls"]}).to_string(), None), Err(what.to_owned()));
}
