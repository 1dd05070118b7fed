//! `toolpost index` by the program itself.

use crate::common;

use common::World;
use serde_json::{Value, json};

#[test]
fn the_index_is_built_looked_at_and_removed() {
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
    let told = |what: &str| -> Value {
        let ended = run(&[what, "--json"]);
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        let mut told: Value = serde_json::from_str(&ended.out).unwrap();
        let bytes = told["index_bytes"].take().as_u64().unwrap();
        assert_eq!(bytes > 0, told["segments"] != json!(0));
        told["roots"].take();
        told
    };
    let expected = |missing: u64, segments: u64| {
        json!({
            "roots": null, "files": 3, "text_bytes": 25, "missing_files": missing, "segments": segments,
            "index_bytes": null, "unkept_segments": 0, "shared_files": 0, "shared_lost": null, "refused": null,
        })
    };
    assert_eq!(told("status"), expected(3, 0));
    assert_eq!(told("build"), expected(0, 1));
    assert_eq!(told("status"), expected(0, 1));
    world.write("b/c.txt", b"new\n");
    assert_eq!(told("status"), expected(1, 1));
    let words = run(&["status"]);
    let line = words.out.lines().nth(1).unwrap();
    assert_eq!(line, "1 files are not indexed yet; each search reads them.");
    let dropped = run(&["drop"]);
    assert!(
        dropped.out.starts_with("Removed ") && !dropped.out.starts_with("Removed 0 B"),
        "{}",
        dropped.out
    );
    assert_eq!(told("status"), expected(3, 0));
    assert_eq!(run(&["drop"]).out, "Removed 0 B of index.\n");
}

#[test]
fn what_cannot_be_kept_is_said() {
    let world = World::with(&[("a.rs", b"fn needle() {}\n")]);
    let ended = world.run(&["--cache", "/proc/none", "index", "build"]);
    let last = ended.out.lines().last().unwrap_or_default().to_owned();
    let expected = "The cache directory is not writable, so the index is lost at exit; set another one with --cache DIR.";
    assert_eq!((ended.code, last.as_str()), (Some(1), expected), "{}", ended.err);
}

#[test]
fn a_home_directory_is_refused_politely() {
    let world = World::with(&[]);
    let home = world.base().join("home");
    let ended = world.run(&["--root", home.to_str().unwrap(), "index", "status"]);
    let expected = format!(
        "toolpost: the root {} is the home directory: name a project directory in it, or set TOOLPOST_ANY_ROOT=on\n",
        home.display()
    );
    assert_eq!((ended.code, ended.out, ended.err), (Some(2), String::new(), expected));
}
