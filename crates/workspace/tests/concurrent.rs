//! Concurrent changes of one file by many threads and processes.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests build their own worlds")]

mod common;

use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use common::{WAIT, World, write};
use toolpost_workspace::{Expect, HoldError, Options, Workspace};

const SLOTS: usize = 60;

fn slots(value: u8) -> String {
    (0..SLOTS).map(|slot| format!("slot{slot:03}={value}\n")).collect()
}

/// Reads the file under the lock, changes one slot, and checks the others.
fn set(workspace: &Workspace, slot: usize) {
    let path = workspace.resolve("f").unwrap();
    let hold = workspace.hold(std::slice::from_ref(&path), WAIT).unwrap();
    let before = workspace.read(&path, 1 << 20).unwrap();
    let text = String::from_utf8(before.bytes).unwrap();
    let changed = text.replace(&format!("slot{slot:03}=0"), &format!("slot{slot:03}=1"));
    assert_ne!(changed, text);
    hold.commit(
        vec![write(&path, &changed, Expect::Hash(before.hash))],
        &toolpost_workspace::Cause::default(),
    )
    .unwrap();
}

fn set_all(workspace: &Workspace, own: impl Fn(usize) -> bool) {
    thread::scope(|scope| {
        for slot in (0..SLOTS).filter(|slot| own(*slot)) {
            scope.spawn(move || set(workspace, slot));
        }
    });
}

#[test]
fn sixty_threads_change_sixty_places() {
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
fn what_a_person_appends_during_edits_is_kept() {
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
        // A write into a file that was opened before the edit replaced it can come after the last look of the commit, if the
        // writer is suspended in between. Any other line is kept, and nearly all of these are.
        let lost: Vec<_> = missing.iter().filter(|line| !replaced.contains(line)).collect();
        assert!(lost.is_empty(), "{lost:?} of {lines} lines");
        assert!(missing.len() * 50 <= lines, "{missing:?} of {lines} lines");
        assert!(lines > 20, "{lines} lines are too few to meet an edit");
    }
}

#[test]
fn three_processes_change_sixty_places() {
    let world = World::new();
    world.write("f", slots(0));
    let workers: Vec<_> = (0..3)
        .map(|number| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "worker", "--ignored", "--quiet"])
                .env("TOOLPOST_WORLD", world.base())
                .env("TOOLPOST_WORKER", number.to_string())
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
#[ignore = "started by another test, in a process of its own"]
fn worker() {
    let base = std::path::PathBuf::from(std::env::var_os("TOOLPOST_WORLD").unwrap());
    let number: usize = std::env::var("TOOLPOST_WORKER").unwrap().parse().unwrap();
    let options =
        Options { roots: vec![base.join("ws")], state: Some(base.join("state")), ..Options::default() };
    let (workspace, _) = Workspace::open(options).unwrap();
    set_all(&workspace, |slot| slot % 3 == number);
}

#[test]
fn what_another_holds_is_waited_for_and_then_refused() {
    let world = World::new();
    let (one, two) = (world.open(), world.open());
    let at = |workspace: &Workspace, name: &str| workspace.resolve(name).unwrap();
    let hold = one.hold(&[at(&one, "a"), at(&one, "d/new")], WAIT).unwrap();
    let wait = Duration::from_millis(50);
    let rows = [("a", true), ("A", true), ("d/new", true), ("b", false), ("d/other", false)];
    for (name, busy) in rows {
        let started = Instant::now();
        let answer = two.hold(&[at(&two, "c"), at(&two, name)], wait);
        assert_eq!(answer.is_err(), busy, "{name}");
        if let Err(HoldError::Busy { path, .. }) = answer {
            assert_eq!(path, at(&two, name));
            assert!(started.elapsed() >= wait);
        }
    }
    drop(hold);
    two.hold(&[at(&two, "a"), at(&two, "d/new")], Duration::ZERO).unwrap();
}

#[test]
fn holds_in_any_order_do_not_stop_each_other() {
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
