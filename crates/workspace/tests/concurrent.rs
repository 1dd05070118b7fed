//! Concurrent changes of one file by many threads and processes.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests prepare their own files")]

mod common;
#[path = "common/slots.rs"]
mod slots;

use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};
use toolpost_test_rows::each;

use common::{WAIT, World, write};
use slots::{set_all, slots};
use toolpost_workspace::{Expect, Options, PathLockError, Workspace};

#[test]
fn concurrent_threads_lose_no_change_in_one_file() {
    for with_state in [true, false] {
        let world = World::new();
        world.write("f", slots(0));
        let state = with_state.then(|| world.state());
        let (workspace, _) = Workspace::open(Options { state, ..world.options() }).unwrap();
        set_all(&workspace, |_| true);
        assert_eq!(world.tree(), [format!("f={}", slots(1))]);
    }
}

#[test]
fn lines_appended_by_others_during_edits_are_preserved() {
    for with_state in [true, false] {
        let world = World::new();
        world.write("f", "edit 0\n");
        let state = with_state.then(|| world.state());
        let (workspace, _) = Workspace::open(Options { state, ..world.options() }).unwrap();
        let (path, file_path) = (workspace.resolve("f").unwrap(), world.at("f"));
        let done = std::sync::atomic::AtomicBool::new(false);
        let (lines, replaced) = thread::scope(|scope| {
            let person = scope.spawn(|| {
                let (mut lines, mut replaced) = (0, Vec::new());
                while !done.load(std::sync::atomic::Ordering::Relaxed) && lines < 4000 {
                    let mut file = std::fs::OpenOptions::new().append(true).open(&file_path).unwrap();
                    writeln!(file, "line {lines}").unwrap();
                    if file.metadata().unwrap().ino() != std::fs::metadata(&file_path).unwrap().ino() {
                        replaced.push(format!("line {lines}"));
                    }
                    lines += 1;
                    thread::sleep(Duration::from_micros(200));
                }
                (lines, replaced)
            });
            for edit in 0..300 {
                let hold = workspace.hold(std::slice::from_ref(&path), WAIT).unwrap();
                let before = workspace.read(&path, 1 << 20).unwrap();
                let text = String::from_utf8(before.bytes).unwrap();
                let (_, rest) = text.split_once('\n').unwrap();
                let changed = format!("edit {edit}\n{rest}");
                // A refusal is acceptable, a lost line is not.
                let _ = hold.commit(
                    vec![write(&path, &changed, Expect::Hash(before.hash))],
                    &toolpost_workspace::Cause::default(),
                );
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
            person.join().unwrap()
        });
        let text = world.read("f");
        let mut missing = Vec::new();
        for line in 0..lines {
            let wanted = format!("line {line}");
            if text.lines().filter(|line| *line == wanted).count() != 1 {
                missing.push(wanted);
            }
        }
        let edits = text.lines().filter(|line| line.starts_with("edit ")).count();
        assert_eq!(edits, 1);
        // If the writer opens the file before an edit replaces it, and is suspended, its write can come after
        // the last check of the commit and be lost. Lines that were written into a replaced file may be missing,
        // but not many; every other line must be kept.
        let lost: Vec<_> = missing.iter().filter(|line| !replaced.contains(line)).collect();
        assert!(lost.is_empty(), "{lost:?} of {lines} lines");
        assert!(missing.len() * 50 <= lines, "{missing:?} of {lines} lines");
        assert!(lines > 20, "{lines} lines are too few to meet an edit");
    }
}

#[test]
fn concurrent_processes_lose_no_change_in_one_file() {
    let world = World::new();
    world.write("f", slots(0));
    let workers: Vec<_> = (0..3)
        .map(|number| {
            Command::new(common::example().with_file_name("slots"))
                .args([world.base().join("ws"), world.state()])
                .arg(number.to_string())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut worker in workers {
        assert!(worker.wait().unwrap().success());
    }
    assert_eq!(world.tree(), [format!("f={}", slots(1))]);
    assert_eq!(world.state_tree(), ["journals/", "live/", "locks/"]);
}

#[test]
fn held_path_is_awaited_and_then_refused_as_busy() {
    let world = World::new();
    let (one, two) = (world.open(), world.open());
    let at = |workspace: &Workspace, name: &str| workspace.resolve(name).unwrap();
    let hold = one.hold(&[at(&one, "a"), at(&one, "d/new")], WAIT).unwrap();
    let wait = Duration::from_millis(50);
    let rows = [("a", true), ("A", true), ("d/new", true), ("b", false), ("d/other", false)];
    each(rows, |(name, busy)| {
        let started = Instant::now();
        let answer = two.hold(&[at(&two, "c"), at(&two, name)], wait);
        assert_eq!(answer.is_err(), busy, "{name}");
        if let Err(PathLockError::Busy { path, .. }) = answer {
            assert_eq!(path, at(&two, name));
            assert!(started.elapsed() >= wait);
        }
    });
    drop(hold);
    two.hold(&[at(&two, "a"), at(&two, "d/new")], Duration::ZERO).unwrap();
}

#[test]
fn holds_taken_in_any_order_do_not_deadlock() {
    let world = World::new();
    let workspace = world.open();
    let names = ["a", "b", "c", "d"];
    thread::scope(|scope| {
        for turn in 0..8 {
            let workspace = &workspace;
            scope.spawn(move || {
                for round in 0..20 {
                    let paths: Vec<_> = (0..3)
                        .map(|step| workspace.resolve(names[(turn * round + step * 3) % 4]).unwrap())
                        .collect();
                    drop(workspace.hold(&paths, WAIT).unwrap());
                }
            });
        }
    });
    assert_eq!(world.state_tree().iter().filter(|line| line.starts_with("locks/")).count(), 1);
}
