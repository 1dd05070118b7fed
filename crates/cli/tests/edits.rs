//! Replacements of other systems' suites, made by the tools: read, edit, look at the bytes.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests build their own worlds")]
#![expect(dead_code, reason = "each test uses a part of the common world")]

mod common;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use common::{World, call, is_ok, words};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What a row allows.
#[derive(Debug, PartialEq)]
enum Outcome {
    Bytes(Vec<u8>),
    /// Some new content in which each of these lines stands, whatever its indentation.
    Lines(Vec<String>),
    /// A failure whose words hold these, and the bytes as they were.
    Refused(Vec<String>),
}

struct Row {
    id: String,
    before: Vec<u8>,
    encoding: Option<String>,
    edits: Vec<Value>,
    allowed: Vec<Outcome>,
}

#[test]
fn every_row_has_an_outcome_that_it_allows() {
    let mut refused = reasons(&data("text", "refused.json"));
    refused.extend(reasons(&data("cli", "refused.json")));
    let elsewhere = reasons(&data("cli", "elsewhere.json"));
    let rows: Vec<Row> =
        [opencode(), crush(), gemini(), goose(), continue_dev(), aider(), issues(), encodings()]
            .into_iter()
            .flatten()
            .filter(|row| !elsewhere.contains_key(&row.id))
            .collect();
    let mut wrong = Vec::new();
    let world = World::new();
    for row in &rows {
        let allowed = check(&world, row);
        match (allowed, refused.get(&row.id)) {
            (Ok(()), None) | (Err(Wrong::Refused(_)), Some(_)) => {}
            (Ok(()), Some(_)) => wrong.push(format!("{}: listed as refused, but passes", row.id)),
            (Err(Wrong::Refused(words)), None) => wrong.push(format!("{}: refused: {words}", row.id)),
            (Err(Wrong::Other(words)), _) => wrong.push(format!("{}: {words}", row.id)),
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(rows.len(), ROWS, "a fixture was added or lost");
}

const ROWS: usize = 179;

enum Wrong {
    Refused(String),
    Other(String),
}

/// Reads the file and makes the edits of a row in one session.
fn check(world: &World, row: &Row) -> Result<(), Wrong> {
    world.write("f.txt", &row.before);
    let mut calls = vec![call("Read", json!({ "file_path": "f.txt" }))];
    calls.extend(row.edits.iter().map(|edit| call("Edit", edit.clone())));
    let replies = script(world, row, &calls);
    let after = world.read("f.txt");
    let failed = replies.iter().skip(1).find(|reply| !is_ok(reply)).map(words);
    let agrees = |outcome: &Outcome| match (outcome, &failed) {
        (Outcome::Bytes(wanted), None) => *wanted == after,
        (Outcome::Lines(lines), None) => {
            let found = String::from_utf8_lossy(&after).into_owned();
            let found: Vec<&str> = found.lines().map(str::trim).collect();
            lines.iter().all(|line| found.contains(&line.as_str()))
        }
        (Outcome::Refused(parts), Some(words)) => {
            (row.edits.len() > 1 || after == row.before) && parts.iter().all(|part| words.contains(part))
        }
        (Outcome::Refused(_), None) | (Outcome::Bytes(_) | Outcome::Lines(_), Some(_)) => false,
    };
    if row.allowed.iter().any(agrees) {
        return Ok(());
    }
    match failed {
        Some(words) if row.edits.len() > 1 || after == row.before => Err(Wrong::Refused(words)),
        Some(words) => Err(Wrong::Other(format!("failed with {words:?}, but the bytes changed"))),
        None => Err(Wrong::Other(format!(
            "gave {:?}, allowed {:?}",
            String::from_utf8_lossy(&after),
            row.allowed
        ))),
    }
}

fn script(world: &World, row: &Row, calls: &[Value]) -> Vec<Value> {
    let Some(encoding) = &row.encoding else { return world.script(calls) };
    let lines: Vec<String> = calls.iter().map(Value::to_string).collect();
    world.write("../script", lines.join("\n").as_bytes());
    let output = world
        .program(&["call", "--script", "../script"])
        .env("TOOLPOST_ENCODING", encoding)
        .output()
        .unwrap();
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn opencode() -> Vec<Row> {
    let rows = data("text", "opencode-edit/replace_cases.json").into_iter().map(|row| {
        let allowed = match row.get("expect").and_then(Value::as_str) {
            _ if flag(&row, "fail") || flag(&row, "unsafe") => Outcome::Refused(Vec::new()),
            Some(expected) => Outcome::Bytes(expected.into()),
            None => {
                Outcome::Lines(text(&row, "replace").lines().map(|line| line.trim().to_owned()).collect())
            }
        };
        single("opencode", &row, ["content", "find", "replace", "all"], vec![allowed])
    });
    rows.collect()
}

fn crush() -> Vec<Row> {
    let keys = ["content", "old_string", "new_string", "replace_all"];
    let rows = data("text", "crush-edit/find_and_replace.json").into_iter().map(|row| {
        let allowed = if flag(&row, "ok") { expected(&row) } else { Outcome::Refused(Vec::new()) };
        single("crush", &row, keys, vec![allowed])
    });
    rows.collect()
}

fn gemini() -> Vec<Row> {
    let rows = data("text", "gemini-edit/cases.json").into_iter().map(|row| {
        let same = row["expected"] == row["content"];
        let mut allowed = vec![if same { Outcome::Refused(Vec::new()) } else { expected(&row) }];
        if matches!(row["strategy"].as_str(), Some("regex" | "fuzzy")) {
            allowed.push(Outcome::Refused(Vec::new()));
        }
        single("gemini", &row, ["content", "old_string", "new_string", "allow_multiple"], allowed)
    });
    rows.collect()
}

fn goose() -> Vec<Row> {
    let rows =
        data("text", "goose-edit/cases.json").into_iter().filter(|row| !flag(row, "read")).map(|row| {
            let parts = row["message_contains"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|part| part.as_str().unwrap().to_owned());
            let allowed = if flag(&row, "ok") { expected(&row) } else { Outcome::Refused(parts.collect()) };
            single("goose", &row, ["content", "before", "after", ""], vec![allowed])
        });
    rows.collect()
}

fn continue_dev() -> Vec<Row> {
    let rows = data("text", "continue-edit/find_and_replace.json").into_iter().map(|row| {
        let kind = text(&row, "kind");
        let edits = match row["edits"].as_array() {
            Some(edits) => {
                edits.iter().map(|edit| said(edit, ["old_string", "new_string", "replace_all"])).collect()
            }
            None => vec![said(&row, ["old", "new", "replace_all"])],
        };
        let mut allowed = vec![if flag(&row, "ok") { expected(&row) } else { Outcome::Refused(Vec::new()) }];
        if row["exact_only"] == json!(false) {
            allowed.push(Outcome::Refused(Vec::new()));
        }
        let test = text(&row, "test").rsplit(" > ").next().unwrap().to_owned();
        Row {
            id: format!("continue/{kind}: {test}"),
            before: text(&row, "content").into(),
            encoding: None,
            edits,
            allowed,
        }
    });
    rows.collect()
}

fn aider() -> Vec<Row> {
    let rows = data("text", "aider-editblock/replace_chunk.json").into_iter().map(|row| {
        let strict = flag(&row, "ambiguous_picks_first");
        let allowed = if strict { Outcome::Refused(Vec::new()) } else { expected(&row) };
        single("aider", &row, ["content", "search", "replace", ""], vec![allowed])
    });
    rows.collect()
}

fn issues() -> Vec<Row> {
    let rows = data("text", "issue-derived/bytes_cases.json")
        .into_iter()
        .filter(|row| row["tool"] == "edit")
        .map(|row| {
            let accept: Vec<&str> =
                row["accept"].as_array().unwrap().iter().map(|kind| kind.as_str().unwrap()).collect();
            let allowed = accept.into_iter().filter_map(|kind| match kind {
                "edit" => row["after"].as_str().map(|after| Outcome::Bytes(STANDARD.decode(after).unwrap())),
                _ => Some(Outcome::Refused(Vec::new())),
            });
            let allowed = allowed.collect();
            let before = STANDARD.decode(text(&row, "before")).unwrap();
            let edits = vec![said(&row, ["old", "new", "replace_all"])];
            Row { id: format!("issue/{}", text(&row, "id")), before, encoding: None, edits, allowed }
        });
    rows.collect()
}

fn encodings() -> Vec<Row> {
    let rows = data("text", "opencode-fs/encoding_cases.json").into_iter().map(|row| {
        let mut allowed = Vec::new();
        if let Some(after) = row["after"].as_str() {
            allowed.push(Outcome::Bytes(STANDARD.decode(after).unwrap()));
        }
        if row["accept"].as_array().is_some_and(|accept| accept.contains(&json!("refuse_unchanged"))) {
            allowed.push(Outcome::Refused(Vec::new()));
        }
        Row {
            id: format!("encoding/{}", text(&row, "id")),
            before: STANDARD.decode(text(&row, "before")).unwrap(),
            encoding: row["file_encoding"].as_str().map(str::to_owned),
            edits: vec![said(&row, ["old", "new", ""])],
            allowed,
        }
    });
    rows.collect()
}

fn single(suite: &str, row: &Value, [before, old, new, every]: [&str; 4], allowed: Vec<Outcome>) -> Row {
    let id = format!("{suite}/{}", text(row, "id"));
    Row {
        id,
        before: text(row, before).into(),
        encoding: None,
        edits: vec![said(row, [old, new, every])],
        allowed,
    }
}

/// The arguments of an edit, in the words of the tool.
fn said(row: &Value, [old, new, every]: [&str; 3]) -> Value {
    json!({ "file_path": "f.txt", "old_string": row[old], "new_string": row[new], "replace_all": row[every] == json!(true) })
}

fn expected(row: &Value) -> Outcome {
    Outcome::Bytes(text(row, "expected").into())
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key].as_str().unwrap_or_else(|| panic!("{key} in {row}"))
}

fn flag(row: &Value, key: &str) -> bool {
    row[key] == json!(true)
}

fn reasons(rows: &[Value]) -> BTreeMap<String, String> {
    rows.iter().map(|row| (text(row, "id").to_owned(), text(row, "reason").to_owned())).collect()
}

/// A file of cases: those of replacements stand beside the matching itself.
fn data(of: &str, name: &str) -> Vec<Value> {
    let path = format!("{}/../{of}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_slice(&bytes).unwrap()
}
