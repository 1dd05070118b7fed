//! `toolpost index`, with the built program.

use crate::common;

use common::World;
use serde_json::{Value, json};

#[test]
fn index_can_be_built_inspected_and_dropped() {
    let world = World::with(&[
        (".gitignore", b"*.log\n"),
        ("a.rs", b"fn needle() {}\n"),
        ("b/c.txt", b"hay\n"),
        ("noise.log", b"needle\n"),
    ]);
    let cache = world.base().join("cache");
    let cache = cache.to_str().unwrap();
    let run = |what: &[&str]| {
        let mut arguments = vec!["--cache", cache, "index"];
        arguments.extend(what);
        world.run(&arguments)
    };
    let report = |what: &str| -> Value {
        let ended = run(&[what, "--json"]);
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        let mut report: Value = serde_json::from_str(&ended.out).unwrap();
        let bytes = report["index_bytes"].take().as_u64().unwrap();
        assert_eq!(bytes > 0, report["segments"] != json!(0));
        report["roots"].take();
        report
    };
    let expected = |missing: u64, segments: u64| {
        json!({
            "roots": null, "files": 3, "text_bytes": 25, "missing_files": missing, "segments": segments,
            "index_bytes": null, "unkept_segments": 0, "shared_files": 0, "shared_lost": null, "refused": null,
        })
    };
    assert_eq!(report("status"), expected(3, 0));
    assert_eq!(report("build"), expected(0, 1));
    assert_eq!(report("status"), expected(0, 1));
    world.write("b/c.txt", b"new\n");
    assert_eq!(report("status"), expected(1, 1));
    let words = run(&["status"]);
    let line = words.out.lines().nth(1).unwrap();
    assert_eq!(line, "Files not indexed yet: 1. Each search reads them.");
    let dropped = run(&["drop"]);
    assert!(
        dropped.out.starts_with("Removed ") && !dropped.out.starts_with("Removed 0 B"),
        "{}",
        dropped.out
    );
    assert_eq!(report("status"), expected(3, 0));
    assert_eq!(run(&["drop"]).out, "Removed 0 B of index.\n");
}

#[test]
fn index_build_reports_an_unwritable_cache() {
    let world = World::with(&[("a.rs", b"fn needle() {}\n")]);
    let ended = world.run(&["--cache", "/proc/none", "index", "build"]);
    let last = ended.out.lines().last().unwrap_or_default().to_owned();
    let expected = "The cache directory is not writable, so the index is lost at exit; set another one with --cache DIR.";
    assert_eq!((ended.code, last.as_str()), (Some(1), expected), "{}", ended.err);
}

#[test]
fn home_directory_is_refused_as_a_root() {
    let world = World::with(&[]);
    let home = world.base().join("home");
    let ended = world.run(&["--root", home.to_str().unwrap(), "index", "status"]);
    let expected = format!(
        "toolpost: the root {} is the home directory: pass a project directory in it, or set TOOLPOST_ANY_ROOT=on\n",
        home.display()
    );
    assert_eq!((ended.code, ended.out, ended.err), (Some(2), String::new(), expected));
}
