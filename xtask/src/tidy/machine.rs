//! Checks that no tracked file contains a path of one machine or a private registry.

use super::Finding;
use crate::tree::{Source, Tree};

/// Beginnings of absolute paths that exist on one machine only.
const PLACES: [&str; 2] = ["/root/.", "/Users/"];
/// Words that mark a host name as a registry, a mirror or a proxy.
const WORDS: [&str; 8] = ["registry", "mirror", "proxy", "artifactory", "nexus", "pypi", "crates", "npm"];
/// Domains of the public registries.
const PUBLIC: [&str; 5] = ["npmjs.org", "npmjs.com", "pypi.org", "pythonhosted.org", "crates.io"];
/// This file and its tests, which contain the patterns that they look for.
const OWN: [&str; 2] = ["xtask/src/tidy/machine.rs", "xtask/tests/tidy.rs"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let files = tree.files().filter(|file| !OWN.contains(&file.path.as_str()) && !file.is_data());
    files.flat_map(in_file).collect()
}

fn in_file(file: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, line) in file.text.lines().enumerate() {
        let place = PLACES.iter().find(|place| line.contains(**place));
        let what = match (place, private_host(line)) {
            (Some(place), _) => format!("a path of one machine: `{place}`"),
            (None, Some(host)) => format!("a private registry: `{host}`"),
            (None, None) => continue,
        };
        findings.push(Finding {
            path: file.path.clone(),
            line: at + 1,
            what,
            why: "the repository must build on every machine",
            next: "use a path relative to the root of the repository, or an environment variable",
        });
    }
    findings
}

fn private_host(line: &str) -> Option<&str> {
    let mut rest = line;
    while let Some(at) = rest.find("://") {
        rest = &rest[at + 3..];
        let end = rest.find(|letter: char| !(letter.is_alphanumeric() || "-._@:".contains(letter)));
        let host = &rest[..end.unwrap_or(rest.len())];
        let host =
            host.rsplit('@').next().unwrap_or(host).split(':').next().unwrap_or(host).trim_end_matches('.');
        let public = PUBLIC.iter().any(|domain| {
            host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        });
        if WORDS.iter().any(|word| host.contains(word)) && !public {
            return Some(host);
        }
    }
    None
}
