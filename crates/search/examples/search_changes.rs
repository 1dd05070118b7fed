//! Helper process of `tests/index.rs`: changes files on command, or builds an index until it is killed.
//!
//! `search_changes change ROOT` reads `CHANGE,SEED` from each line of stdin.
//! `search_changes index ROOT CACHE` never ends.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "this process is part of the tests")]

#[path = "../tests/support/changes.rs"]
mod changes;
#[path = "../tests/support/dice.rs"]
mod dice;

use changes::act;
use dice::Dice;
use std::io::Write;
use std::path::Path;
use std::time::Duration;
use toolpost_trigrams::TrigramIndex;
use toolpost_workspace::{Workspace, walk::Options};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["change", root] => change(Path::new(root)),
        ["index", root, cache] => index(Path::new(root), Path::new(cache)),
        other => panic!("{other:?}: use `change ROOT` or `index ROOT CACHE`"),
    }
}

/// Executes the changes that stdin requests, and reports each one with `done` on stderr.
fn change(root: &Path) {
    let mut out = std::io::stderr();
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let (what, seed) = line.split_once(',').unwrap();
        act(root, what, &mut Dice(seed.parse().unwrap()));
        writeln!(out, "done").unwrap();
    }
}

/// Builds an index again and again.
fn index(root: &Path, cache: &Path) {
    let options =
        toolpost_workspace::Options { roots: vec![root.into()], ..toolpost_workspace::Options::default() };
    let workspace = Workspace::open(options).unwrap().0;
    for round in 0_u32.. {
        let index = TrigramIndex::new(workspace.clone(), Some(cache.into()));
        let _ = index.settle(&Options::default(), Duration::from_secs(30));
        if round % 3 == 2 {
            let _ = index.forget();
        }
    }
}
