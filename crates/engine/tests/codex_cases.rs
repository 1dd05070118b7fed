//! Runs the cases of Codex's test suite about listing directories and reading lines, converted to Toolpost's
//! formats.

use crate::common::permissive;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;
use toolpost_engine::{
    Engine, Session,
    operations::{
        list::{self, HiddenFiles, List, Rules},
        read::{self, Read},
        stat::FileKind,
    },
};
use toolpost_workspace::{Options, Workspace};

struct World {
    root: TempDir,
    _state: TempDir,
    engine: Engine,
}

fn world() -> World {
    let (root, state) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let (roots, store) = (vec![root.path().to_path_buf()], Some(state.path().to_path_buf()));
    let (workspace, _) = Workspace::open(Options { roots, state: store, ..Options::default() }).unwrap();
    World { root, _state: state, engine: Engine::new(workspace) }
}

fn rows(name: &str) -> Vec<Value> {
    let path = format!("{}/tests/fixtures/codex-fs/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn id(row: &Value) -> &str {
    row["id"].as_str().unwrap()
}

fn number(row: &Value, key: &str) -> usize {
    usize::try_from(row[key].as_u64().unwrap()).unwrap()
}

/// The rows that do not apply to the engine, each with the reason.
const ELSEWHERE: [(&str, &str); 6] = [
    ("offset_past_end", "a tree is not paged: a call narrows the directory or the depth"),
    ("page2", "a tree is not paged: a call narrows the directory or the depth"),
    ("huge_limit", "a tree is not paged: a call narrows the directory or the depth"),
    ("zero_offset", "a tree is not paged: a call narrows the directory or the depth"),
    ("zero_limit", "a number below the minimum is refused when the arguments are decoded"),
    ("zero_depth", "a number below the minimum is refused when the arguments are decoded"),
];

/// The rows whose lines intentionally differ in Toolpost, each with the reason.
const OTHERWISE: [(&str, &[&str], &str); 2] = [
    ("page1", &["a/", "b/", "More than 2 entries found"], "entries nearer to the top are shown first"),
    (
        "truncation_sorted",
        &["nested/", "  child.txt", "root.txt", "More than 3 entries found"],
        "entries nearer to the top are shown first",
    ),
];

/// Lists a tree in the format of the suite.
async fn listed(row: &Value) -> Vec<String> {
    let world = world();
    for (path, text) in row["files"].as_object().unwrap() {
        let path = world.root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text.as_str().unwrap()).unwrap();
    }
    for (name, target) in row["symlinks"].as_object().into_iter().flatten() {
        std::os::unix::fs::symlink(target.as_str().unwrap(), world.root.path().join(name)).unwrap();
    }
    let request = list::Request::of(list::ListRequest {
        depth: number(row, "depth"),
        rules: Rules::None,
        hidden: HiddenFiles::Show,
        limit: Some(number(row, "limit")),
        ..list::ListRequest::of(world.engine.resolve(".").unwrap())
    });
    let output = world.engine.run::<List>(request, &permissive(Session::new())).await.unwrap();
    let line = |node: &list::Node| {
        let name = node.path.rsplit('/').next().unwrap();
        let mark = match node.kind {
            FileKind::Directory => "/",
            FileKind::Link => "@",
            _ => "",
        };
        format!("{}{name}{mark}", "  ".repeat(node.depth))
    };
    let mut lines: Vec<String> = output.nodes.iter().map(line).collect();
    if output.total > output.nodes.len() as u64 {
        lines.push(format!("More than {} entries found", output.nodes.len()));
    }
    lines
}

#[tokio::test]
async fn directory_listings_match_the_codex_suite() {
    let rows = rows("list_dir");
    let mut passed = 0;
    for row in rows.iter().filter(|row| !ELSEWHERE.iter().any(|(other, _)| *other == id(row))) {
        let lines = listed(row).await;
        if let Some(count) = row["n_lines"].as_u64() {
            assert_eq!((lines.len() as u64, lines.last().map(String::as_str)), (count, row["last"].as_str()));
            passed += 1;
            continue;
        }
        let wanted: Vec<&str> = match OTHERWISE.iter().find(|(other, ..)| *other == id(row)) {
            Some((_, lines, _)) => lines.to_vec(),
            None => row["lines"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect(),
        };
        assert_eq!(lines, wanted, "{}", id(row));
        passed += 1;
    }
    assert_eq!((rows.len(), passed), (13, 13 - ELSEWHERE.len()), "a row was added or lost");
}

#[tokio::test]
async fn read_line_ranges_match_the_codex_suite() {
    let rows = rows("read_slice");
    assert_eq!(rows.len(), 6, "a row was added or lost");
    for row in &rows {
        let world = world();
        fs::write(world.root.path().join("f"), STANDARD.decode(row["b64"].as_str().unwrap()).unwrap())
            .unwrap();
        let path = world.engine.resolve("f").unwrap();
        let (offset, limit) = (row["offset"].as_u64().unwrap(), row["limit"].as_u64().unwrap());
        // The suite truncates lines after 500 characters.
        let request = read::Request {
            offset,
            limit,
            characters: 500,
            ..read::Request::of(path, "f".to_owned(), 100_000)
        };
        let output = world.engine.run::<Read>(request, &permissive(Session::new())).await;
        match output {
            Ok(output) => {
                let text = output.text().unwrap();
                let lines: Vec<String> =
                    text.lines.iter().map(|line| format!("L{}: {}", line.number, line.text)).collect();
                assert_eq!(json!(lines), row["lines"], "{}", id(row));
            }
            // The first two bytes look like a byte order mark, so Toolpost's failure names that encoding.
            Err(failure) if id(row) == "non_utf8" => {
                assert!(failure.what.contains("UTF-16LE"), "{failure:?}");
            }
            Err(failure) => {
                assert_eq!(row["error"], "offset exceeds file length", "{failure:?}");
                assert_eq!(failure.what, "f has 1 line; line 3 is after its end.");
            }
        }
    }
}
