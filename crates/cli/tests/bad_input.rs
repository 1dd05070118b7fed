//! Wrong calls of every tool: a clear answer, and nothing on the disk has changed.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests build their own worlds")]
#![expect(dead_code, reason = "each test uses a part of the common world")]

mod common;

use common::{World, call, is_ok, words};
use serde_json::{Value, json};
use std::os::unix::{ffi::OsStrExt, fs::symlink};

/// A root with one of everything that makes trouble.
fn world() -> World {
    let world = World::with(&[
        ("f", b"a\nb\n"),
        ("dir/.keep", b""),
        ("bin", b"\0\x01\x02\x03"),
        ("../out/secret", b"CANARY\n"),
    ]);
    symlink("y", world.path("x")).unwrap();
    symlink("x", world.path("y")).unwrap();
    symlink("/dev/zero", world.path("zero")).unwrap();
    symlink("../out", world.path("away")).unwrap();
    std::fs::write(world.root().join(std::ffi::OsStr::from_bytes(b"odd-\xff.txt")), b"odd\n").unwrap();
    std::fs::File::create(world.path("sparse")).unwrap().set_len(10 << 30).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, world.path("pipe"), rustix::fs::FileType::Fifo, 0o644.into(), 0)
        .unwrap();
    world
}

const OUTSIDE: &str =
    "is outside of the workspace: only {root} may be used. Starting with a further root lifts this.";
const DIRECTORY: &str = "dir is a directory, not a file.";
const PIPE: &str = "pipe: is a named pipe, not a regular file: it is not opened.";

/// Each row: tool, arguments, kind of the failure, and the first line of what is said.
fn rows() -> Vec<(&'static str, Value, &'static str, String)> {
    let outside = |path: &str| format!("{path} {OUTSIDE}");
    let git = "Not allowed to write .git/config: Version control keeps its own files, and some of them (hooks, config, attributes) run programs.";
    let path_missing =
        "file_path is missing: it takes a string, for example {\"file_path\":\"src/main.rs\"}.";
    let text = |text: &str| text.to_owned();
    vec![
        ("Read", json!({}), "invalid", text(path_missing)),
        ("Read", json!({ "file_path": null }), "invalid", text(path_missing)),
        (
            "Read",
            json!({ "file_path": { "a": 1 } }),
            "invalid",
            text("file_path must be a string, got {\"a\":1}; for example {\"file_path\":\"src/main.rs\"}."),
        ),
        ("Read", json!([1]), "invalid", text("The arguments must be a JSON object, got [1].")),
        (
            "Read",
            json!({ "file_path": "f", "limit": "many" }),
            "invalid",
            text("limit must be a whole number, got \"many\"; for example {\"limit\":10}."),
        ),
        (
            "Read",
            json!({ "file_path": "f", "limit": -1 }),
            "invalid",
            text("limit must be at least 1, got -1; for example {\"limit\":10}."),
        ),
        (
            "Read",
            json!({ "file_path": "f", "offset": 9 }),
            "invalid",
            text("f has 2 lines; offset 9 is behind its end."),
        ),
        (
            "Read",
            json!({ "file_path": "" }),
            "invalid",
            text("the path is empty: `.` is the workspace itself."),
        ),
        (
            "Read",
            json!({ "file_path": "none" }),
            "not_found",
            text("File not found: none (the workspace is {root})."),
        ),
        ("Read", json!({ "file_path": "dir" }), "wrong_kind", text(DIRECTORY)),
        ("Read", json!({ "file_path": "pipe" }), "wrong_kind", text(PIPE)),
        (
            "Read",
            json!({ "file_path": "bin" }),
            "wrong_kind",
            text("bin is not text: it has zero bytes, 4 bytes. It cannot be shown."),
        ),
        (
            "Read",
            json!({ "file_path": "sparse" }),
            "wrong_kind",
            text("sparse is not text: it has zero bytes, 10737418240 bytes. It cannot be shown."),
        ),
        (
            "Read",
            json!({ "file_path": "x" }),
            "wrong_kind",
            text("x leads in a circle of symbolic links, through {root}/x."),
        ),
        ("Read", json!({ "file_path": "../out/secret" }), "outside", outside("../out/secret")),
        ("Read", json!({ "file_path": "/dev/zero" }), "outside", outside("/dev/zero")),
        (
            "Read",
            json!({ "file_path": "zero" }),
            "outside",
            text(
                "zero is outside of the workspace (a symbolic link leads to /dev/zero): only {root} may be used. Starting with a further root lifts this.",
            ),
        ),
        (
            "Edit",
            json!({ "file_path": "f", "old_string": "a" }),
            "invalid",
            text("new_string is missing: it takes a string, for example {\"new_string\":\"let a = 2;\"}."),
        ),
        (
            "Edit",
            json!({ "file_path": "f", "old_string": "a", "new_string": "a" }),
            "invalid",
            text("The old and the new text are the same; nothing would change in f."),
        ),
        (
            "Edit",
            json!({ "file_path": "f", "old_string": "", "new_string": "x" }),
            "invalid",
            text("The text to replace is empty, and f is not."),
        ),
        (
            "Edit",
            json!({ "file_path": "f", "old_string": "zzz", "new_string": "x" }),
            "no_match",
            text("The text to replace was not found in f."),
        ),
        (
            "Edit",
            json!({ "file_path": "f", "old_string": "a", "new_string": "x", "replace_all": "perhaps" }),
            "invalid",
            text("replace_all must be true or false, got \"perhaps\"; for example {\"replace_all\":true}."),
        ),
        (
            "Edit",
            json!({ "file_path": "none", "old_string": "a", "new_string": "x" }),
            "not_found",
            text("File not found: none (the workspace is {root})."),
        ),
        (
            "Edit",
            json!({ "file_path": "dir", "old_string": "a", "new_string": "x" }),
            "wrong_kind",
            text(DIRECTORY),
        ),
        (
            "Edit",
            json!({ "file_path": "pipe", "old_string": "a", "new_string": "x" }),
            "wrong_kind",
            text(PIPE),
        ),
        (
            "Edit",
            json!({ "file_path": "away/secret", "old_string": "CANARY", "new_string": "x" }),
            "outside",
            text(
                "away/secret is outside of the workspace (a symbolic link leads to ../out): only {root} may be used. Starting with a further root lifts this.",
            ),
        ),
        (
            "Write",
            json!({ "file_path": "g" }),
            "invalid",
            text("content is missing: it takes a string, for example {\"content\":\"fn main() {}\\n\"}."),
        ),
        (
            "Write",
            json!({ "file_path": "g", "content": { "a": 1 } }),
            "invalid",
            text("content must be a string, got {\"a\":1}; for example {\"content\":\"fn main() {}\\n\"}."),
        ),
        ("Write", json!({ "file_path": "dir", "content": "x" }), "wrong_kind", text(DIRECTORY)),
        (
            "Write",
            json!({ "file_path": "f/g", "content": "x" }),
            "wrong_kind",
            text("f is not a directory, so f/g cannot be."),
        ),
        ("Write", json!({ "file_path": "pipe", "content": "x" }), "wrong_kind", text(PIPE)),
        ("Write", json!({ "file_path": "../g", "content": "x" }), "outside", outside("../g")),
        ("Write", json!({ "file_path": ".git/config", "content": "x" }), "denied", text(git)),
        (
            "Glob",
            json!({}),
            "invalid",
            text("pattern is missing: it takes a string, for example {\"pattern\":\"**/*.rs\"}."),
        ),
        (
            "Glob",
            json!({ "pattern": "*", "path": "none" }),
            "not_found",
            text("none does not exist: check the path, or search its parent directory."),
        ),
        (
            "Glob",
            json!({ "pattern": "*", "path": "f" }),
            "wrong_kind",
            text("glob path must be a directory: f is not one; search its parent directory instead."),
        ),
        ("Glob", json!({ "pattern": "*", "path": ".." }), "outside", outside("..")),
        (
            "Glob",
            json!({ "pattern": "a\0b" }),
            "invalid",
            text("invalid glob \"a\\0b\": it holds a NUL byte, which no name can."),
        ),
        (
            "Glob",
            json!({ "pattern": "[a" }),
            "invalid",
            text("invalid glob \"[a\": unclosed character class; missing ']'."),
        ),
        (
            "Grep",
            json!({}),
            "invalid",
            text("pattern is missing: it takes a string, for example {\"pattern\":\"fn \\\\w+_timeout\"}."),
        ),
        (
            "Grep",
            json!({ "pattern": "timeout(" }),
            "invalid",
            text("The pattern is no regular expression: timeout("),
        ),
        (
            "Grep",
            json!({ "pattern": "a", "path": "none" }),
            "not_found",
            text("none does not exist: check the path, or search its parent directory."),
        ),
        ("Grep", json!({ "pattern": "a", "path": "pipe" }), "wrong_kind", text(PIPE)),
        ("Grep", json!({ "pattern": "a", "path": "/" }), "outside", outside("/")),
        (
            "Grep",
            json!({ "pattern": "a", "output_mode": "all" }),
            "invalid",
            text(
                "output_mode must be one of \"content\", \"files_with_matches\", \"count\", got \"all\"; for example {\"output_mode\":\"content\"}.",
            ),
        ),
        (
            "Grep",
            json!({ "pattern": "a", "type": "nosuch" }),
            "invalid",
            text("unknown file type \"nosuch\": use a glob such as *.ext instead."),
        ),
        (
            "Grep",
            json!({ "pattern": "a", "-A": -1 }),
            "invalid",
            text("-A must be a whole number of lines, 0 or more; got -1."),
        ),
    ]
}

#[test]
fn wrong_calls_get_a_clear_answer_and_change_nothing() {
    let world = world();
    let names = || {
        let mut names: Vec<_> =
            std::fs::read_dir(world.root()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    let rows = rows();
    let mut calls = vec![call("Read", json!({ "file_path": "f" }))];
    calls.extend(rows.iter().map(|(tool, arguments, ..)| call(tool, arguments.clone())));
    let replies = world.script(&calls);
    assert!(is_ok(&replies[0]), "{}", replies[0]);
    let root = world.root().display().to_string();
    for ((tool, arguments, kind, line), reply) in rows.iter().zip(&replies[1..]) {
        let said = words(reply).replace(&root, "{root}");
        let first = said.lines().next().unwrap_or_default();
        assert_eq!(
            (is_ok(reply), reply["kind"].as_str(), first),
            (false, Some(*kind), line.as_str()),
            "{tool} {arguments}"
        );
    }
    assert_eq!(names(), before);
    assert_eq!((world.read("f"), world.read("../out/secret")), (b"a\nb\n".to_vec(), b"CANARY\n".to_vec()));
}

#[test]
fn names_that_are_not_utf8_are_listed_and_read_as_they_are_listed() {
    let world = world();
    let replies = world.script(&[
        call("Glob", json!({ "pattern": "odd-*" })),
        call("Grep", json!({ "pattern": "^odd$", "output_mode": "content" })),
    ]);
    let name = words(&replies[0]).lines().next().unwrap().to_owned();
    assert!(words(&replies[1]).lines().any(|line| line == format!("{name}:1:odd")), "{}", words(&replies[1]));
    let read = world.script(&[call("Read", json!({ "file_path": name }))]);
    assert_eq!(words(&read[0]).lines().next(), Some("     1\todd"), "{name}");
}
