//! Tests of an incomplete keyword index, and of two indexes that share a cache directory.
#![expect(clippy::disallowed_methods, reason = "tests create their own files")]

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use toolpost_index_lifecycle::{Order, PartialIndex, Patience};
use toolpost_workspace::{Cache, Options, Workspace, WorkspacePath};

use super::Index;
use crate::grammar::parse;
use crate::{IndexGuard, SearchCriterion, SearchRequest, Tests};

fn open(root: &Path) -> Workspace {
    let options = Options { roots: vec![root.to_owned()], ..Options::default() };
    Workspace::open(options).unwrap().0
}

fn write(root: &Path, numbers: std::ops::Range<usize>) {
    for number in numbers {
        std::fs::write(root.join(format!("f{number}.rs")), format!("fn alpha() {{ beta{number}(); }}\n"))
            .unwrap();
    }
}

fn found(lent: &IndexGuard<'_>, base: &WorkspacePath) -> usize {
    let node = parse("alpha").unwrap().node;
    let ask = SearchRequest {
        what: SearchCriterion::Query(&node),
        base,
        tests: Tests::Searched,
        may: &|_| true,
        after: None,
    };
    lent.search(&ask).unwrap().total
}

/// Returns a time limit that has already passed.
fn now() -> Patience<'static> {
    Patience::until(Instant::now())
}

#[test]
fn ranked_files_are_read_first() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), 0..7);
    let index = Index::new(open(root.path()));
    let mut turn = index.0.lifecycle.lock();
    index.0.look_at_all(&mut turn, &|| false).unwrap();
    for (wanted, left) in [("f5.rs", 6), ("f2.rs", 5)] {
        let polls = AtomicU32::new(0);
        let rank = |path: &WorkspacePath| (path.display() == wanted).then_some(0);
        let order = Order { rank: &rank, only_ranked: false };
        index.0.read_some(&mut turn, order, &|| polls.fetch_add(1, Ordering::Relaxed) > 0);
        assert!(!turn.pending.contains_key(wanted), "{:?}", turn.pending.keys());
        assert_eq!(turn.pending.len(), left);
    }
}

#[test]
fn early_answer_lists_unread_files_and_reading_continues() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), 0..300);
    let workspace = open(root.path());
    let base = workspace.resolve(".").unwrap();
    let index = Index::new(workspace);
    {
        let lent = index.lend_within(&now(), &|| false).unwrap();
        assert_eq!((lent.waiting().len(), found(&lent, &base)), (300, 0));
    }
    loop {
        let lent = index.lend_within(&now(), &|| false).unwrap();
        let waiting = lent.waiting().len();
        assert_eq!(found(&lent, &base), 300 - waiting);
        if waiting == 0 {
            break;
        }
        drop(lent);
        std::thread::sleep(Duration::from_millis(5));
    }
    // A changed file that is not read yet must not match by its old content.
    std::fs::write(root.path().join("f7.rs"), "fn gamma() {}\n").unwrap();
    let lent = index.lend_within(&now(), &|| false).unwrap();
    let waiting: Vec<String> = lent.waiting().iter().map(WorkspacePath::display).collect();
    assert_eq!((waiting, found(&lent, &base)), (vec!["f7.rs".to_owned()], 299));
    drop(lent);
    assert_eq!(found(&index.lend(&|| false).unwrap(), &base), 299);
}

#[test]
fn a_restart_continues_an_unfinished_index() {
    let (root, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(root.path(), 0..40);
    // The index does not rely on the times of a file that changed in the last 50 ms, and a test cannot set the change
    // time.
    std::thread::sleep(Duration::from_millis(80));
    let workspace = open(root.path());
    let base = workspace.resolve(".").unwrap();
    let new = || Index::new(workspace.clone()).kept_in(Some(cache.path().to_owned()));
    {
        // A paused index reads only files with a rank, so it never becomes complete.
        let first = new();
        first.pause();
        let rank = |path: &WorkspacePath| path.display().starts_with("f1").then_some(0);
        let until = Instant::now() + Duration::from_secs(60);
        let lent = first.lend_within(&Patience::for_ranked(until, &rank), &|| false).unwrap();
        assert_eq!((lent.waiting().len(), found(&lent, &base), first.parsed()), (29, 11, 11));
    }
    // The background thread may still hold the first index, which is stored when its last owner drops it.
    std::thread::sleep(Duration::from_secs(1));
    let second = new();
    assert_eq!(found(&second.lend(&|| false).unwrap(), &base), 40);
    assert_eq!(second.parsed(), 29);
}

#[test]
fn files_read_by_another_index_are_not_read_again() {
    let (root, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(root.path(), 0..150);
    // The index does not rely on the times of a file that changed in the last 50 ms, and a test cannot set the change
    // time.
    std::thread::sleep(Duration::from_millis(80));
    let workspace = open(root.path());
    let base = workspace.resolve(".").unwrap();
    let new = || Index::new(workspace.clone()).kept_in(Some(cache.path().to_owned()));
    let (one, other) = (new(), new());
    let folder = one.folder().unwrap();
    assert_eq!(found(&one.lend(&|| false).unwrap(), &base), 150);
    write(root.path(), 150..300);
    let turn = Cache::open(&folder).unwrap().turn().unwrap().unwrap();
    assert_eq!(other.lend_within(&now(), &|| false).unwrap().waiting().len(), 300);
    drop(one);
    let soon = Patience::until(Instant::now() + Duration::from_millis(300));
    {
        // The second index gets these files from the segments that the first one wrote.
        let lent = other.lend_within(&soon, &|| false).unwrap();
        assert_eq!((lent.waiting().len(), found(&lent, &base)), (150, 150));
    }
    drop(turn);
    assert_eq!(found(&other.lend(&|| false).unwrap(), &base), 300);
}

#[test]
fn unreported_changes_are_found_by_a_background_rescan() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("work");
    std::fs::create_dir(&root).unwrap();
    write(&root, 0..3);
    // The file watcher reports a write through another hard link of a file only for that link.
    let aside = folder.path().join("aside.rs");
    std::fs::hard_link(root.join("f1.rs"), &aside).unwrap();
    let workspace = open(&root);
    let base = workspace.resolve(".").unwrap();
    let index = Index::new(workspace);
    assert_eq!(found(&index.lend(&|| false).unwrap(), &base), 3);
    std::fs::write(&aside, "fn gamma() {}\n").unwrap();
    index.0.lifecycle.lock().watched.age();
    let until = Instant::now() + Duration::from_secs(20);
    while found(&index.lend(&|| false).unwrap(), &base) != 2 {
        assert!(Instant::now() < until, "no full rescan found the changed file");
        std::thread::sleep(Duration::from_millis(5));
    }
}
