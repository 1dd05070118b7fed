//! Tests that the index reflects the current files after any changes since the last query.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests write files")]

use crate::common;
use toolpost_test_rows::each;

use common::{calls, index, write};
use std::fs;

#[test]
fn changes_between_two_queries_are_visible_to_the_second() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "b.py", "def g(): ...\n");
    write(root, "a.py", "from b import g\ng()\n");
    let index = index(root, None);
    type Act = fn(&std::path::Path);
    let rows: [(&str, Act, &[&str]); 13] = [
        ("nothing", |_| {}, &["a.py:g -> b.py:g"]),
        ("a definition goes", |root| write(root, "b.py", "def h(): ...\n"), &["a.py:g -> unresolved"]),
        ("and comes back", |root| write(root, "b.py", "def g(): ...\n"), &["a.py:g -> b.py:g"]),
        ("of the same length", |root| write(root, "b.py", "def k(): ...\n"), &["a.py:g -> unresolved"]),
        (
            "a file is renamed",
            |root| fs::rename(root.join("b.py"), root.join("c.py")).unwrap(),
            &["a.py:g -> outside"],
        ),
        (
            "another takes its place",
            |root| write(root, "b.py", "g = lambda: 1\ndef g(): ...\n"),
            &["a.py:g -> b.py:g"],
        ),
        (
            "it becomes a package",
            |root| {
                fs::remove_file(root.join("b.py")).unwrap();
                write(root, "b/__init__.py", "from .x import g\n");
                write(root, "b/x.py", "def g(): ...\n");
            },
            &["a.py:g -> b/x.py:g"],
        ),
        (
            "a directory is renamed",
            |root| fs::rename(root.join("b"), root.join("d")).unwrap(),
            &["a.py:g -> outside"],
        ),
        ("and back", |root| fs::rename(root.join("d"), root.join("b")).unwrap(), &["a.py:g -> b/x.py:g"]),
        (
            "a file in it changes",
            |root| write(root, "b/x.py", "\n\ndef g(): ...\ng()\n"),
            &["a.py:g -> b/x.py:g", "b/x.py:g -> b/x.py:g"],
        ),
        ("it is ignored", |root| write(root, ".gitignore", "b/\n"), &["a.py:g -> outside"]),
        (
            "and no more",
            |root| fs::remove_file(root.join(".gitignore")).unwrap(),
            &["a.py:g -> b/x.py:g", "b/x.py:g -> b/x.py:g"],
        ),
        (
            "all goes",
            |root| {
                fs::remove_dir_all(root.join("b")).unwrap();
                fs::remove_file(root.join("a.py")).unwrap();
            },
            &[],
        ),
    ];
    each(rows, |(what, act, wanted)| {
        act(root);
        assert_eq!(calls(&index), wanted.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>(), "{what}");
    });
}

#[test]
fn a_change_that_preserves_size_and_time_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.py", "def f(): ...\nf()\n");
    let index = index(folder.path(), None);
    assert_eq!(calls(&index), ["a.py:f -> a.py:f"]);
    let path = folder.path().join("a.py");
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    fs::write(&path, "def g(): ...\ng()\n").unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(before).unwrap();
    assert_eq!(calls(&index), ["a.py:g -> a.py:g"]);
}

#[test]
fn many_files_created_together_are_all_indexed() {
    let folder = tempfile::tempdir().unwrap();
    let index = index(folder.path(), None);
    assert_eq!(calls(&index), Vec::<String>::new());
    for number in 0..700 {
        write(folder.path(), &format!("d{}/m{number}.py", number % 30), "def f(): ...\nf()\n");
    }
    assert_eq!(calls(&index).len(), 700);
}

#[test]
fn stopped_queries_keep_their_progress() {
    use std::sync::atomic::{AtomicU32, Ordering};
    let folder = tempfile::tempdir().unwrap();
    for number in 0..200 {
        write(folder.path(), &format!("m{number}.py"), "def f(): ...\nf()\n");
    }
    let index = index(folder.path(), None);
    let mut stops = 0;
    // Each query polls a few times more than the previous one before it stops; the last one completes.
    for patience in (0..).step_by(40) {
        let left = AtomicU32::new(patience);
        let stop =
            || left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err();
        match index.graph(&stop) {
            Ok(graph) => {
                assert_eq!(graph.sites().len(), 200);
                break;
            }
            Err(trouble) => assert_eq!(trouble, toolpost_symbols::UpdateError::Stopped),
        }
        stops += 1;
    }
    assert!(stops > 1, "{stops}");
}

#[test]
fn long_import_chains_are_not_reported_as_outside() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..40 {
        write(folder.path(), &format!("m{number}.py"), &format!("from m{} import *\n", number + 1));
    }
    write(folder.path(), "m40.py", "def f(): ...\n");
    write(folder.path(), "near.py", "from m38 import f\nf()\n");
    write(folder.path(), "far.py", "from m0 import f\nf()\n");
    write(folder.path(), "not.py", "from m38 import g\ng()\n");
    let index = index(folder.path(), None);
    assert_eq!(calls(&index), ["far.py:f -> m40.py:f", "near.py:f -> m40.py:f", "not.py:g -> unresolved"]);
}

#[test]
fn a_removed_root_is_an_error_and_not_an_empty_index() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    write(&root, "a.py", "def f(): ...\nf()\n");
    let index = index(&root, None);
    assert_eq!(calls(&index), ["a.py:f -> a.py:f"]);
    fs::remove_dir_all(&root).unwrap();
    let why =
        "it was removed; create it again and restart Toolpost, which opens the new directory only at startup";
    let shown = root.display().to_string();
    let trouble = || index.graph(&common::go_on).err();
    assert_eq!(
        trouble(),
        Some(toolpost_symbols::UpdateError::Place { place: shown.clone(), why: why.to_owned() })
    );
    fs::create_dir(&root).unwrap();
    assert_eq!(trouble(), Some(toolpost_symbols::UpdateError::Place { place: shown, why: why.to_owned() }));
}

#[test]
fn a_query_that_waits_for_another_can_be_stopped() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..20 {
        write(folder.path(), &format!("m{number}.py"), "def f(): ...\nf()\n");
    }
    let index = index(folder.path(), None);
    let (sender, receiver) = std::sync::mpsc::sync_channel(0);
    let ends = std::sync::Mutex::new(Some(sender));
    std::thread::scope(|scope| {
        let first = scope.spawn(|| {
            // Keeps the lock until the other query has given up.
            let stop = || {
                if let Some(sender) = ends.lock().unwrap().take() {
                    sender.send(()).unwrap();
                    sender.send(()).unwrap();
                }
                false
            };
            index.graph(&stop).map(|graph| graph.sites().len())
        });
        receiver.recv().unwrap();
        assert_eq!(index.graph(&|| true).err(), Some(toolpost_symbols::UpdateError::Stopped));
        receiver.recv().unwrap();
        assert_eq!(first.join().unwrap(), Ok(20));
    });
}
