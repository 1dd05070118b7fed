//! Builds of one package share the artifacts of a build of the whole workspace.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    process::Command,
};
use toolpost_test_rows::each;

/// Returns the features that each package is built with for a selection of packages and kinds of dependencies,
/// by name and version.
fn features(selection: &[&str], edges: &str) -> BTreeMap<String, BTreeSet<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--locked", "--offline", "--prefix", "none", "--format", "{p}|{f}"]);
    let done = cargo.args(["--edges", edges]).args(selection).current_dir(root).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in String::from_utf8(done.stdout).unwrap().lines().filter(|line| line.contains('|')) {
        let (package, features) = line.trim_end_matches(" (*)").split_once('|').unwrap();
        let name = package.split(" (").next().unwrap();
        found.entry(name.to_owned()).or_default().insert(features.to_owned());
    }
    found
}

/// A program that embeds the tools for files does not compile the readers of documents.
#[test]
fn files_feature_excludes_document_readers() {
    let files = ["--package", "toolpost", "--no-default-features", "--features", "files"];
    let names = |selection: &[&str]| -> BTreeSet<String> {
        let all = features(selection, "normal");
        all.keys().map(|name| name.split(' ').next().unwrap().to_owned()).collect()
    };
    let (smallest, whole) = (names(&files), names(&["--package", "toolpost"]));
    let readers = ["fast_image_resize", "image", "lopdf", "rawzip", "ttf-parser"];
    each(readers, |reader| assert!(whole.contains(reader) && !smallest.contains(reader)));
}

/// The README builds the program, `cargo xtask` builds itself, and the tests build the workspace. If these builds enabled
/// different features, cargo would compile most crates once for each build.
#[test]
fn package_builds_use_the_workspace_features() {
    let edges = "normal,build,dev";
    let all = features(&["--workspace"], edges);
    assert!(all.len() > 100, "{all:?}");
    for package in ["toolpost-cli", "xtask"] {
        for (name, sets) in features(&["--package", package], edges) {
            let other: Vec<_> = sets.difference(&all[&name]).collect();
            assert!(
                other.is_empty(),
                "{package} needs {name} with {other:?}, the workspace {:?}",
                all[&name]
            );
        }
    }
}
