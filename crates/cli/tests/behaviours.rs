//! Cases from other tools and their bug reports about reading, searching, arguments and files.

use crate::common;
use toolpost_test_rows::each;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use common::{World, call, is_ok, words};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    os::unix::fs::PermissionsExt,
    os::unix::fs::symlink,
};

fn data(name: &str) -> Vec<Value> {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn id(row: &Value) -> String {
    row["id"].as_str().unwrap().to_owned()
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// Returns the tool of the dialect `claude` for a row.
fn tool(row: &Value) -> Option<&'static str> {
    match row["tool"].as_str()? {
        "read" => Some("Read"),
        "glob" => Some("Glob"),
        "grep" => Some("Grep"),
        _ => None,
    }
}

/// Returns the rows that do not run here, each with the reason.
fn elsewhere() -> BTreeMap<String, String> {
    data("elsewhere.json").iter().map(|row| (id(row), row["reason"].as_str().unwrap().to_owned())).collect()
}

/// Checks a reply against the expectations of a row.
fn check(row: &Value, reply: &Value) {
    let (id, output) = (id(row), words(reply));
    let wants_error =
        row["error"] == json!(true) || row.get("error_contains").is_some() || id == "read_outside";
    assert_eq!(is_ok(reply), !wants_error, "{id}: {output}");
    let contains = strings(&row["contains"])
        .into_iter()
        .chain(strings(&row["paths"]))
        .chain(row["error_contains"].as_str().map(str::to_owned));
    for part in contains {
        assert!(output.contains(&part), "{id}: {part:?} is not in {output}");
    }
    for part in strings(&row["not_contains"]) {
        assert!(!output.contains(&part), "{id}: {part:?} is in {output}");
    }
    if let Some(count) = row["attachments"].as_u64() {
        let images =
            reply["content"].as_array().unwrap().iter().filter(|part| part["type"] == "image").count();
        assert_eq!(images as u64, count, "{id}");
    }
    if row["matches"] == json!(0) {
        assert!(output.starts_with("No matches found"), "{id}: {output}");
    }
}

#[test]
fn read_and_search_fixtures_of_other_tools_pass() {
    let elsewhere = elsewhere();
    for row in data("opencode-fs/behaviours.json") {
        let Some(tool) = tool(&row).filter(|_| !elsewhere.contains_key(&id(&row))) else {
            assert!(elsewhere.contains_key(&id(&row)), "{} is neither run nor listed", id(&row));
            continue;
        };
        let world = World::new();
        let name = row["name"].as_str().unwrap_or("file.txt");
        if let Some(text) = row["file"].as_str() {
            world.write(name, text.as_bytes());
        }
        if let Some(bytes) = row["file_b64"].as_str() {
            world.write(name, &STANDARD.decode(bytes).unwrap());
        }
        for (path, text) in row["files"].as_object().into_iter().flatten() {
            world.write(path, text.as_str().unwrap().as_bytes());
        }
        let mut arguments = row["args"].clone();
        if tool == "Read" {
            arguments["file_path"] = row.get("path").cloned().unwrap_or_else(|| json!(name));
        }
        check(&row, &world.script(&[call(tool, arguments)])[0]);
    }
}

/// Removes line numbers and notes, so that the text can be compared.
fn without_numbers(output: &str) -> String {
    let lines =
        output.lines().filter_map(|line| line.get(7..).filter(|_| line.as_bytes().get(6) == Some(&b'\t')));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn read_slices_contain_the_requested_lines() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../text/tests/fixtures/goose-edit/cases.json");
    let rows: Vec<Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let slices: Vec<&Value> = rows.iter().filter(|row| row["read"] == json!(true)).collect();
    assert_eq!(slices.len(), 4, "a fixture was added or lost");
    for row in slices {
        let world = World::with(&[("f", row["content"].as_str().unwrap().as_bytes())]);
        let arguments = json!({ "file_path": "f", "offset": row["line"], "limit": row["limit"] });
        let reply = &world.script(&[call("Read", arguments)])[0];
        assert_eq!(
            without_numbers(&words(reply)),
            row["expected"].as_str().unwrap().trim_end_matches('\n'),
            "{}",
            id(row)
        );
    }
}

#[test]
fn secret_files_are_recognized_by_name() {
    for row in data("opencode-fs/env_files.json") {
        let name = row["name"].as_str().unwrap();
        let world = World::with(&[(name, b"x\n")]);
        let reply = &world.script(&[call("Read", json!({ "file_path": name }))])[0];
        let asked = row["needs_permission"].as_bool().unwrap();
        assert_eq!((is_ok(reply), reply["kind"] == "denied"), (!asked, asked), "{name}");
    }
}

/// Creates the files that the setup of a row describes.
fn tree(world: &World, id: &str) {
    match id {
        "unreadable_dir" => {
            world.write("readable/notes.txt", b"the answer is 42\n");
            std::fs::create_dir(world.path("locked")).unwrap();
            std::fs::set_permissions(world.path("locked"), std::fs::Permissions::from_mode(0o000)).unwrap();
        }
        "dot_glob" => world.write(".github/workflows/ci.yml", b""),
        "leading_dash" => world.write("f", b"--flag here\n"),
        "crlf_dollar" => world.write("f", b"foo\r\nbar\r\n"),
        "utf16_searched" => world
            .write("f", &"\u{feff}a needle\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()),
        _ => {
            world.write(".gitignore", b"dist/\n");
            world.write("dist/app.js", b"needle\n");
            world.write("src/a.js", b"needle\n");
        }
    }
}

#[test]
fn search_fixtures_from_bug_reports_pass() {
    let elsewhere = elsewhere();
    for row in data("issue-derived/search_cases.json").iter().filter(|row| !elsewhere.contains_key(&id(row)))
    {
        let world = World::new();
        tree(&world, &id(row));
        let mut arguments = row["args"].clone();
        if id(row) == "unreadable_dir" {
            arguments["output_mode"] = json!("content");
        }
        let reply = &world.script(&[call(tool(row).unwrap(), arguments)])[0];
        check(row, reply);
        if id(row) == "utf16_searched" {
            assert!(words(reply).starts_with("f\n"), "{}", words(reply));
        }
        if id(row) == "unreadable_dir" {
            let output = words(reply);
            let is_reported = output.contains("files and directories that could not be read: locked")
                || rustix::process::geteuid().is_root();
            std::fs::set_permissions(world.path("locked"), std::fs::Permissions::from_mode(0o755)).unwrap();
            assert!(is_reported, "{output}");
        }
    }
}

#[test]
fn argument_fixtures_from_bug_reports_pass() {
    let world = World::with(&[("f", b"42 a\n42 A\n")]);
    let numbered = "     1\t42 a";
    let rows = [
        (
            "float_integral",
            call("Read", json!({ "file_path": "f", "limit": 1.0 })),
            format!("{numbered}\n[toolpost: lines 1-1 of 2; continue with offset 2]"),
        ),
        (
            "bool_as_string",
            call(
                "Grep",
                json!({ "pattern": "42", "-n": "False", "-i": "true", "output_mode": "content", "head_limit": "1" }),
            ),
            "f:42 a".to_owned(),
        ),
        (
            "number_for_string",
            call("Grep", json!({ "pattern": 42, "output_mode": "content" })),
            "f:1:42 a\nf:2:42 A".to_owned(),
        ),
        (
            "whole_args_string",
            call("Read", json!("{\"file_path\":\"f\"}")),
            format!("{numbered}\n     2\t42 A"),
        ),
        (
            "unknown_key",
            call("Read", json!({ "file_path": "f", "explanation": "x" })),
            format!("{numbered}\n     2\t42 A\n[toolpost: ignored unknown argument: \"explanation\"]"),
        ),
    ];
    let known: BTreeSet<String> = data("issue-derived/args_cases.json").iter().map(id).collect();
    let covered = rows.iter().map(|(id, ..)| (*id).to_owned()).chain(elsewhere().into_keys());
    assert_eq!(known.difference(&covered.collect()).collect::<Vec<_>>(), Vec::<&String>::new());
    each(rows, |(id, call, wanted)| {
        let reply = &world.script(std::slice::from_ref(&call))[0];
        let output = words(reply);
        assert!(is_ok(reply) && output.starts_with(&wanted), "{id}: {output}");
    });
}

#[test]
fn writing_through_a_symlink_loop_fails_and_creates_nothing() {
    let world = World::new();
    symlink("b", world.path("a")).unwrap();
    symlink("a", world.path("b")).unwrap();
    let reply = &world.script(&[call("Write", json!({ "file_path": "a", "content": "x" }))])[0];
    assert_eq!(reply["kind"], "wrong_kind", "{reply}");
    assert_eq!(world.files(), BTreeMap::new());
}

/// Reads a file, lets `outside` change it, then replaces `b` with `B`. Returns success, reply and content.
fn stale(before: &[u8], outside: impl FnOnce(&World)) -> (bool, String, Vec<u8>) {
    let world = World::with(&[("f", before)]);
    let mut server = world.serve(&[]);
    server.call(&call("Read", json!({ "file_path": "f" })));
    outside(&world);
    let result =
        server.call(&call("Edit", json!({ "file_path": "f", "old_string": "b", "new_string": "B" })));
    (result["isError"] != json!(true), words(&result), world.read("f"))
}

#[test]
fn edits_keep_concurrent_changes() {
    let (done, output, after) = stale(b"a\nb\nc\n", |world| world.write("f", b"a\nb\ntheirs\n"));
    assert!(done && output.contains("changed since"), "stale_unrelated_change: {output}");
    assert_eq!(after, b"a\nB\ntheirs\n");
    let (done, output, after) = stale(b"a\nb\nc\n", |world| world.write("f", b"a\ntheirs\nc\n"));
    assert!(!done && output.contains("theirs"), "stale_same_change: {output}");
    assert_eq!(after, b"a\ntheirs\nc\n");
    let (done, output, after) = stale(b"a\nb\nc\n", |world| world.write("f", b"a\nb\nc\n"));
    assert!(done, "touch_only: {output}");
    assert_eq!(after, b"a\nB\nc\n");
}

#[test]
fn new_files_follow_the_umask_and_leave_no_temporary_file() {
    let world = World::new();
    assert!(is_ok(&world.script(&[call("Write", json!({ "file_path": "f", "content": "x" }))])[0]));
    let mode = std::fs::metadata(world.path("f")).unwrap().permissions().mode() & 0o777;
    let reference = world.path("by-the-system");
    std::fs::write(&reference, b"").unwrap();
    assert_eq!(mode, std::fs::metadata(&reference).unwrap().permissions().mode() & 0o777, "new_file_umask");
    std::fs::remove_file(reference).unwrap();
    assert_eq!(world.files(), BTreeMap::from([("f".to_owned(), b"x".to_vec())]), "no_temp_left");
}

#[test]
fn lookalike_names_are_resolved_for_reads_only() {
    for (stored, asked) in [
        ("Shot at 1.01\u{202f}AM.txt", "Shot at 1.01 AM.txt"),
        ("re\u{301}sume\u{301}.txt", "r\u{e9}sum\u{e9}.txt"),
        ("it\u{2019}s.txt", "it's.txt"),
    ] {
        let world = World::with(&[(stored, b"found\n")]);
        let replies = world.script(&[
            call("Read", json!({ "file_path": asked })),
            call("Edit", json!({ "file_path": asked, "old_string": "found", "new_string": "lost" })),
        ]);
        assert!(
            is_ok(&replies[0]) && words(&replies[0]).starts_with("     1\tfound\n["),
            "{asked}: {}",
            words(&replies[0])
        );
        assert!(!is_ok(&replies[1]), "{asked}: {}", words(&replies[1]));
        assert_eq!(world.files(), BTreeMap::from([(stored.to_owned(), b"found\n".to_vec())]), "{asked}");
    }
}

#[test]
fn every_file_fixture_row_is_covered_or_listed() {
    let here = [
        "symlink_loop",
        "new_file_umask",
        "no_temp_left",
        "stale_unrelated_change",
        "stale_same_change",
        "touch_only",
        "nbsp_name_plain",
        "nfd_name",
    ];
    let listed = elsewhere();
    let rows: BTreeSet<String> = data("issue-derived/fs_cases.json").iter().map(id).collect();
    let missing: Vec<&String> =
        rows.iter().filter(|id| !here.contains(&id.as_str()) && !listed.contains_key(*id)).collect();
    assert_eq!(missing, Vec::<&String>::new());
    let known: BTreeSet<String> = [
        "opencode-fs/behaviours.json",
        "issue-derived/search_cases.json",
        "issue-derived/args_cases.json",
        "issue-derived/fs_cases.json",
    ]
    .iter()
    .flat_map(|name| data(name).iter().map(id).collect::<Vec<_>>())
    .collect();
    let stale: Vec<&String> = listed.keys().filter(|id| !known.contains(*id)).collect();
    assert_eq!(stale, Vec::<&String>::new(), "listed, but there is no such row");
}
