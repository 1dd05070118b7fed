//! Races: a directory is replaced by a link as fast as possible, and no access may leave the root.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests prepare their own files")]

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use common::{World, commit, write};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use toolpost_workspace::{Expect, Workspace};

const READS: usize = 100_000;
const WRITES: usize = 2_000;

/// Runs `work` while `sw` alternates between a directory and a link that leads out of the root.
fn while_swapping(world: &World, work: impl FnOnce()) {
    world.write("sw/secret.txt", "inside");
    fs::write(world.out("secret.txt"), "CANARY").unwrap();
    symlink(world.out(""), world.at("evil")).unwrap();
    let (real, evil) = (world.at("sw"), world.at("evil"));
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                renameat_with(CWD, &real, CWD, &evil, RenameFlags::EXCHANGE).unwrap();
            }
        });
        work();
        stop.store(true, Ordering::Relaxed);
    });
}

/// Counts of attempts: those that reached a file inside the root, and those that were refused.
#[derive(Debug, Default)]
struct Count {
    inside: usize,
    refused: usize,
}

fn read(workspace: &Workspace, said: &str, count: &mut Count) {
    let read = workspace.resolve(said).ok().and_then(|path| workspace.read(&path, 100).ok());
    match read {
        Some(snapshot) => {
            assert_eq!(snapshot.bytes, b"inside");
            count.inside += 1;
        }
        None => count.refused += 1,
    }
}

#[test]
fn read_stays_inside_the_root_while_a_link_is_swapped() {
    let world = World::new();
    let workspace = world.open();
    let mut count = Count::default();
    while_swapping(&world, || (0..READS).for_each(|_| read(&workspace, "sw/secret.txt", &mut count)));
    assert_eq!(count.inside + count.refused, READS);
    assert!(count.inside > 0 && count.refused > 0, "no race: {count:?}");
}

#[test]
fn resolved_path_stays_inside_the_root_while_a_link_is_swapped() {
    let world = World::new();
    world.write("sw/secret.txt", "inside");
    let workspace = world.open();
    let path = workspace.resolve("sw/secret.txt").unwrap();
    let mut count = Count::default();
    while_swapping(&world, || {
        for _ in 0..READS {
            match workspace.read(&path, 100) {
                Ok(snapshot) => {
                    assert_eq!(snapshot.bytes, b"inside");
                    count.inside += 1;
                }
                Err(_) => count.refused += 1,
            }
        }
    });
    assert!(count.inside > 0 && count.refused > 0, "no race: {count:?}");
}

#[test]
fn write_stays_inside_the_root_while_a_link_is_swapped() {
    let world = World::new();
    let workspace = world.open();
    let mut count = Count::default();
    while_swapping(&world, || {
        for number in 0..WRITES {
            let Ok(path) = workspace.resolve(&format!("sw/new{number}/file.txt")) else {
                count.refused += 1;
                continue;
            };
            match commit(&workspace, vec![write(&path, "mine", Expect::Absent)]) {
                Ok(_) => count.inside += 1,
                Err(_) => count.refused += 1,
            }
        }
    });
    assert_eq!(common::tree_of(&world.out("")), ["secret.txt=CANARY"]);
    assert!(count.inside > 0 && count.refused > 0, "no race: {count:?}");
    let left: Vec<String> = world.tree().into_iter().filter(|line| line.contains("toolpost-tmp")).collect();
    assert_eq!(left, Vec::<String>::new());
}
