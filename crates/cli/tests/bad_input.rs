//! Invalid calls of every tool fail with a clear message and change no file.

use crate::common;

use common::{World, call, is_ok, words};
use serde_json::{Value, json};
use std::os::unix::{ffi::OsStrExt, fs::symlink};

/// Creates a workspace with files that are hard to handle: binary, huge, unreadable, link cycles, a pipe.
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

/// Returns the rows: a tool, its arguments, the kind of the failure, and the first line of the message.
fn rows() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/bad_input.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn invalid_calls_fail_clearly_and_change_no_file() {
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
    calls.extend(rows.iter().map(|row| call(row["tool"].as_str().unwrap(), row["arguments"].clone())));
    let replies = world.script(&calls);
    assert!(is_ok(&replies[0]), "{}", replies[0]);
    let root = world.root().display().to_string();
    for (row, reply) in rows.iter().zip(&replies[1..]) {
        let output = words(reply).replace(&root, "{root}");
        let first = output.lines().next().unwrap_or_default();
        assert_eq!(
            json!([is_ok(reply), reply["kind"], first]),
            json!([false, row["kind"], row["line"]]),
            "{row}"
        );
    }
    assert_eq!(names(), before);
    assert_eq!((world.read("f"), world.read("../out/secret")), (b"a\nb\n".to_vec(), b"CANARY\n".to_vec()));
}

#[test]
fn non_utf8_names_can_be_read_as_they_are_listed() {
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
