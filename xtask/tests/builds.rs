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

/// A program that embeds the tools for files compiles no database client, script engine, model client, language model,
/// web client or reader of documents, and one grammar.
#[test]
fn files_feature_excludes_the_large_dependencies() {
    let files = ["--package", "toolpost", "--no-default-features", "--features", "files"];
    let names = |selection: &[&str]| -> BTreeSet<String> {
        let all = features(selection, "normal");
        all.keys().map(|name| name.split(' ').next().unwrap().to_owned()).collect()
    };
    let (smallest, whole) = (names(&files), names(&["--package", "toolpost"]));
    let large = [
        "agent-client-protocol",
        "fast_image_resize",
        "genai",
        "image",
        "lopdf",
        "rawzip",
        "reqwest",
        "rquickjs",
        "safetensors",
        "tokenizers",
        "tokio-postgres",
        "ttf-parser",
    ];
    each(large, |name| assert!(whole.contains(name) && !smallest.contains(name)));
    let grammars = |names: &BTreeSet<String>| -> Vec<String> {
        let found = names.iter().filter(|name| name.starts_with("tree-sitter-"));
        found.filter(|name| *name != "tree-sitter-language").cloned().collect()
    };
    // The policy of commands needs the grammar of bash; `tree-sitter-language` is a type that all grammars use.
    assert_eq!(grammars(&smallest), ["tree-sitter-bash"]);
    assert!(grammars(&whole).len() > 20, "{:?}", grammars(&whole));
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
