//! Tests that the next process reads the stored index, and that a damaged one is rebuilt.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests write files")]

use crate::common;
use toolpost_test_rows::each;

use common::{calls, index, write};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};
use toolpost_index_lifecycle::{PartialIndex, Patience};
use toolpost_workspace::WorkspacePath;

const WANTED: [&str; 2] = ["a.py:g -> b.py:g", "main.go:helper -> util.go:helper"];

/// Creates a workspace whose files are old enough that unchanged times prove unchanged content.
fn new_root_and_cache() -> (tempfile::TempDir, tempfile::TempDir) {
    let (root, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(root.path(), "b.py", "def g(): ...\n");
    write(root.path(), "a.py", "from b import g\ng()\n");
    write(root.path(), "main.go", "package main\nfunc main() { helper() }\n");
    write(root.path(), "util.go", "package main\nfunc helper() {}\n");
    sleep(Duration::from_millis(80));
    (root, cache)
}

/// Queries a new index and then drops it, like a process that ends.
fn indexed_calls(root: &Path, cache: &Path) -> Vec<String> {
    calls(&index(root, Some(cache.to_owned())))
}

/// Lists the blobs of the only workspace of a cache.
fn blobs(cache: &Path) -> Vec<PathBuf> {
    let folders: Vec<PathBuf> = fs::read_dir(cache).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [only] = folders.as_slice() else { panic!("{folders:?}") };
    let mut blobs: Vec<PathBuf> = fs::read_dir(only).unwrap().map(|entry| entry.unwrap().path()).collect();
    blobs.sort();
    blobs
}

#[test]
fn the_next_process_reuses_stored_records() {
    let (root, cache) = new_root_and_cache();
    assert_eq!(indexed_calls(root.path(), cache.path()), WANTED);
    let first = blobs(cache.path());
    // The blobs are a segment, the list of files, and the list of the cache's owners.
    assert_eq!(first.len(), 3, "{first:?}");
    // Nothing changed: nothing is parsed, so nothing is written.
    assert_eq!(indexed_calls(root.path(), cache.path()), WANTED);
    assert_eq!(blobs(cache.path()), first);
    // Only the file that changed is parsed.
    write(root.path(), "b.py", "\ndef g(): ...\n");
    assert_eq!(indexed_calls(root.path(), cache.path()), WANTED);
    assert_eq!(blobs(cache.path()).len(), 4);
}

#[test]
fn a_restart_continues_an_unfinished_index() {
    let (root, cache) = new_root_and_cache();
    for number in 0..40 {
        write(root.path(), &format!("src/f{number}.py"), &format!("def f{number}(): ...\n"));
    }
    // The files must be old enough, as in `new_root_and_cache`.
    sleep(Duration::from_millis(80));
    let wanted = indexed_calls(root.path(), &tempfile::tempdir().unwrap().keep());
    {
        // Only files with a rank are read, so the index never becomes complete.
        let first = index(root.path(), Some(cache.path().to_owned()));
        first.pause();
        let rank = |path: &WorkspacePath| path.display().contains("src/f1").then_some(0);
        let until = Instant::now() + Duration::from_secs(60);
        let graph = first.lend_within(&Patience::for_ranked(until, &rank), &|| false).unwrap();
        assert_eq!((graph.waiting().len(), first.parsed()), (33, 11));
    }
    let second = index(root.path(), Some(cache.path().to_owned()));
    assert_eq!(calls(&second), wanted);
    assert_eq!(second.parsed(), 33);
}

#[test]
fn damaged_segments_are_rebuilt() {
    type Damage = fn(&mut Vec<u8>);
    let rows: [(&str, Damage); 6] = [
        ("cut", |bytes| bytes.truncate(bytes.len() / 2)),
        ("empty", Vec::clear),
        ("a bit of the last record", |bytes| *bytes.last_mut().unwrap() ^= 1),
        ("a length", |bytes| bytes[16 + 1] ^= 0x40),
        ("a name", |bytes| bytes[16 + 20] ^= 1),
        ("of another version", |bytes| bytes[9] ^= 1),
    ];
    each(rows, |(what, damage)| {
        let (root, cache) = new_root_and_cache();
        assert_eq!(indexed_calls(root.path(), cache.path()), WANTED, "{what}");
        for blob in blobs(cache.path()) {
            let mut bytes = fs::read(&blob).unwrap();
            if !blob.ends_with("roots") {
                damage(&mut bytes);
            }
            fs::write(&blob, bytes).unwrap();
        }
        assert_eq!(indexed_calls(root.path(), cache.path()), WANTED, "{what}");
        assert_eq!(indexed_calls(root.path(), cache.path()), WANTED, "{what}, again");
    });
}

#[test]
fn small_segments_are_merged_across_restarts() {
    let (root, cache) = new_root_and_cache();
    for round in 0..20 {
        write(root.path(), "b.py", &format!("{}def g(): ...\n", "\n".repeat(round)));
        // The store records a file only if its last change is old enough, and a test cannot set the change time.
        sleep(Duration::from_millis(60));
        assert_eq!(indexed_calls(root.path(), cache.path()), WANTED, "{round}");
        assert!(blobs(cache.path()).len() <= 16, "{:?}", blobs(cache.path()));
    }
}

#[test]
fn an_unusable_cache_does_not_prevent_answers() {
    let (root, cache) = new_root_and_cache();
    let file = cache.path().join("file");
    fs::write(&file, "").unwrap();
    assert_eq!(indexed_calls(root.path(), &file), WANTED);
}

#[test]
fn a_running_process_merges_small_segments() {
    let (root, cache) = new_root_and_cache();
    let index = index(root.path(), Some(cache.path().to_owned()));
    // Enough files change together that they are written immediately.
    for round in 0..30 {
        for number in 0..70 {
            write(root.path(), &format!("many/m{number}.py"), &format!("def f{round}(): ...\n"));
        }
        assert_eq!(calls(&index), WANTED, "{round}");
        assert!(blobs(cache.path()).len() <= 16, "{:?}", blobs(cache.path()));
    }
    let graph = index.graph(&common::go_on).unwrap();
    assert_eq!(graph.definitions(graph.word("f29").unwrap()).len(), 70);
    assert_eq!(graph.definitions(graph.word("f3").unwrap()), []);
}
