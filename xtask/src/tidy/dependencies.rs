//! Finds dependencies that the manifest of a crate lists but its code does not use.

use super::{Finding, rust};
use crate::tree::{Source, Tree};
use toml::Table;

/// Part of a crate that may use a dependency.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// The library or binary of the crate, or its build script.
    Shipped,
    /// Only the tests, benchmarks and examples of the crate.
    Tests,
}

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let manifests = tree.files().filter(|file| file.path.ends_with("/Cargo.toml") && !file.is_data());
    manifests.flat_map(|manifest| unused(tree, manifest)).collect()
}

fn unused(tree: &Tree, file: &Source) -> Vec<Finding> {
    let folder = file.path.trim_end_matches("Cargo.toml");
    let Ok(manifest) = toml::from_str::<Table>(&file.text) else { return Vec::new() };
    let code: Vec<(bool, String)> = tree
        .rust()
        .filter(|source| source.path.starts_with(folder))
        .map(|source| (is_shipped(&source.path[folder.len()..]), rust::scan(&source.text).code))
        .collect();
    if code.is_empty() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (name, usage) in dependencies(&manifest) {
        let word = name.replace('-', "_");
        let mut places = code.iter().filter(|(is_shipped, _)| usage == Use::Tests || *is_shipped);
        if !places.any(|(_, text)| rust::word(text, &word).is_some()) && !ignored(&manifest, &name) {
            findings.push(Finding {
                path: file.path.clone(),
                line: file.text.lines().position(|line| line.starts_with(&name)).map_or(1, |at| at + 1),
                what: format!("the dependency `{name}` is not used"),
                why: "an unused dependency costs build time and audits",
                next: "remove it, or list it under `package.metadata.cargo-machete.ignored`, with the reason",
            });
        }
    }
    findings
}

fn is_shipped(path: &str) -> bool {
    path.starts_with("src/") || path == "build.rs" || !path.contains('/') || path.starts_with("fuzz_targets/")
}

/// Returns the names of all dependencies, each with the part of the crate that may use it.
pub(super) fn dependencies(manifest: &Table) -> Vec<(String, Use)> {
    let table = |value: &toml::Value| value.as_table().cloned();
    let targets = manifest.get("target").and_then(table).unwrap_or_default();
    let mut found = Vec::new();
    for table in std::iter::once(manifest.clone()).chain(targets.values().filter_map(table)) {
        for (key, usage) in [
            ("dependencies", Use::Shipped),
            ("build-dependencies", Use::Shipped),
            ("dev-dependencies", Use::Tests),
        ] {
            let listed = table.get(key).and_then(|listed| listed.as_table());
            found.extend(
                listed.into_iter().flat_map(|listed| listed.keys().map(|name| (name.clone(), usage))),
            );
        }
    }
    found
}

fn ignored(manifest: &Table, name: &str) -> bool {
    let list = ["package", "metadata", "cargo-machete"]
        .iter()
        .try_fold(manifest, |table, key| table.get(*key)?.as_table());
    let list = list.and_then(|table| table.get("ignored")?.as_array());
    list.is_some_and(|list| list.iter().any(|entry| entry.as_str() == Some(name)))
}
