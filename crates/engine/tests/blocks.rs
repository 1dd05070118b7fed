//! Runs the SEARCH/REPLACE cases of Roo Code's test suite: the blocks of a case are one change with several
//! replacements, and their line hints are kept.

use crate::common::{block_on, permissive};
use serde_json::Value;
use std::fs;
use tempfile::TempDir;
use toolpost_engine::{
    Engine, Session,
    operations::change::{Change, ChangeFiles, ChangeTarget, MatchCount, Request, Step},
};
use toolpost_test_rows::table::Table;
use toolpost_text::lines::LineRange;
use toolpost_workspace::{Options, Workspace};

/// A block: lines to find, their replacement, and their expected position.
struct Block {
    search: String,
    replace: String,
    near: Option<LineRange>,
}

/// The section of a block that the parser is in.
enum BlockSection {
    Outside,
    Search,
    Replace,
}

/// Parses blocks in Roo Code's format; `None` if the text is invalid.
fn blocks(diff: &str) -> Option<Vec<Block>> {
    let (mut blocks, mut reading) = (Vec::new(), BlockSection::Outside);
    let (mut search, mut replace, mut start) = (String::new(), String::new(), None);
    for line in diff.lines() {
        match (&reading, line) {
            (BlockSection::Outside, "<<<<<<< SEARCH") => {
                (search, replace, start, reading) =
                    (String::new(), String::new(), None, BlockSection::Search);
            }
            (BlockSection::Outside, _) => {}
            (BlockSection::Search, "=======") => reading = BlockSection::Replace,
            (BlockSection::Search, "-------") => search.clear(),
            (BlockSection::Search, hint) if hint.starts_with(":end_line:") => {}
            (BlockSection::Search, hint) if hint.starts_with(":start_line:") => {
                start = hint.trim_start_matches(":start_line:").trim().parse().ok();
            }
            (BlockSection::Search, line) => search.push_str(&format!("{line}\n")),
            (BlockSection::Replace, ">>>>>>> REPLACE") => {
                let lines = search.lines().count().max(1);
                let near = start.map(|first: usize| LineRange { first, last: first + lines - 1 });
                blocks.push(Block { search: search.clone(), replace: replace.clone(), near });
                reading = BlockSection::Outside;
            }
            (BlockSection::Replace, line) => replace.push_str(&format!("{line}\n")),
        }
    }
    (matches!(reading, BlockSection::Outside) && !blocks.is_empty()).then_some(blocks)
}

/// Applies the blocks of a row; returns the file's content afterwards, and the failure message, if any.
async fn apply(row: &Value) -> (String, Option<String>) {
    let (root, state) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let file = root.path().join("f");
    fs::write(&file, row["original"].as_str().unwrap()).unwrap();
    let (roots, store) = (vec![root.path().to_path_buf()], Some(state.path().to_path_buf()));
    let (workspace, _) = Workspace::open(Options { roots, state: store, ..Options::default() }).unwrap();
    let engine = Engine::new(workspace);
    let Some(blocks) = blocks(row["diff"].as_str().unwrap()) else {
        return (fs::read_to_string(file).unwrap(), Some("no blocks".to_owned()));
    };
    let path = engine.resolve("f").unwrap();
    let change = |block: Block| Change {
        path: path.clone(),
        at: ChangeTarget::Text {
            old: block.search,
            want: MatchCount::One,
            near: block.near,
            matching: Step::Unescaped,
        },
        text: block.replace,
    };
    let request = Request { changes: blocks.into_iter().map(change).collect() };
    let done = engine.run::<ChangeFiles>(request, &permissive(Session::new())).await;
    (fs::read_to_string(file).unwrap(), done.err().map(|failure| failure.what))
}

fn rows() -> Vec<Value> {
    let read = |name: &str| -> Vec<Value> {
        let path = format!("{}/tests/fixtures/roo-apply-diff/{name}.json", env!("CARGO_MANIFEST_DIR"));
        serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
    };
    read("apply_diff_a").into_iter().chain(read("apply_diff_b")).collect()
}

/// An outcome that intentionally differs from the outcome that the suite expects.
#[derive(Debug, Clone, Copy, PartialEq)]
enum IntendedDifference {
    Refused,
    /// The expected content is preceded by this text.
    With(&'static str),
}

/// The rows whose outcome intentionally differs in Toolpost, each with the reason.
const OTHERWISE: [(&str, IntendedDifference, &str); 5] = [
    (
        "should find matches from middle out",
        IntendedDifference::Refused,
        "several places match, and the row does not tell which one is meant",
    ),
    (
        "should handle mixed indentation styles in the same file",
        IntendedDifference::Refused,
        "the old text is not indented and the file is, so the indentation of the new text is unknown",
    ),
    (
        "should match content with small differences (>90% similar)",
        IntendedDifference::Refused,
        "the words differ, and text that is only similar is never replaced",
    ),
    (
        "should match content with extra whitespace",
        IntendedDifference::Refused,
        "white space inside a line differs, and may be part of a string",
    ),
    (
        "should handle content with line numbers at the last line",
        IntendedDifference::With("                \n"),
        "the first line of the new text is kept, although it is blank",
    ),
];

/// The name of a row in the suite of Roo Code.
fn label(row: &Value) -> String {
    row["test"].as_str().unwrap().rsplit(" > ").next().unwrap().to_owned()
}

fn otherwise(row: &Value) -> Option<IntendedDifference> {
    let test = label(row);
    OTHERWISE.iter().find(|(known, ..)| *known == test).map(|(_, otherwise, _)| *otherwise)
}

pub(crate) fn replacement_blocks_match_the_roo_code_suite() -> Table {
    // These rows test only the block markers of Roo Code's text format, which Toolpost does not accept.
    let (markers, rows): (Vec<Value>, Vec<Value>) =
        rows().into_iter().partition(|row| row["kind"] == "markers");
    let listed = rows.iter().filter(|row| otherwise(row).is_some()).count();
    assert_eq!((rows.len(), markers.len(), listed), (39, 25, OTHERWISE.len()), "a row was added or lost");
    Table::new("blocks::replacement_blocks_match_the_roo_code_suite", rows, label, |row| {
        let (after, failed) = block_on(apply(&row));
        let (original, wanted) = (row["original"].as_str().unwrap(), row["content"].as_str());
        assert!(failed.is_none() || after == original, "failed, but the bytes changed");
        let agrees = match (wanted, &failed, otherwise(&row)) {
            (Some(_), Some(_), Some(IntendedDifference::Refused)) | (None, Some(_), None) => true,
            (Some(wanted), None, Some(IntendedDifference::With(before))) => {
                format!("{before}{wanted}") == after
            }
            (Some(wanted), None, None) => wanted == after,
            _ => false,
        };
        assert!(agrees, "{failed:?} {after:?}\nwanted {wanted:?}");
    })
}
