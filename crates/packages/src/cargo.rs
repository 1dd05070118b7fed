//! Rust crates as dependencies: `Cargo.lock`, the sources in the registry, Git checkouts, and `vendor`.

use crate::dependency_list::{
    DependencyList, Directness, Entry, MissingSource, PackageSource, VersionSource,
};
use crate::name::Ecosystem;
use crate::project::{Project, is_plain, label};
use serde::Deserialize;
use std::path::Path;
use toolpost_workspace::{AllowedParent, WorkspacePath};

#[derive(Deserialize)]
struct Lock {
    #[serde(default)]
    package: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    source: Option<String>,
    #[serde(default)]
    dependencies: Vec<String>,
}

/// The parts of a crate's manifest that are read: the name and the version.
#[derive(Deserialize)]
struct Manifest {
    package: Option<PackageTable>,
}

#[derive(Deserialize)]
struct PackageTable {
    name: String,
    version: Option<toml::Value>,
}

/// Maximum depth of a crate's directory in a Git checkout.
const DEPTH: usize = 4;

pub(crate) fn locked(project: &Project<'_>) -> DependencyList {
    let mut out = DependencyList::default();
    for file in project.named(&["Cargo.lock"]) {
        let read = project.text(file);
        match read.and_then(|text| toml::from_str::<Lock>(&text).map_err(|error| error.message().to_owned()))
        {
            Ok(lock) => {
                out.read.push(file.display());
                add(&mut out, lock, file);
            }
            Err(why) => out.odd.push(format!("{}: {why}", file.display())),
        }
    }
    out
}

fn add(out: &mut DependencyList, lock: Lock, file: &WorkspacePath) {
    let own = lock.package.iter().filter(|package| package.source.is_none());
    // Each entry of `dependencies` is `name`, `name version` (if several versions exist) or `name version (source)`.
    let wanted: Vec<(String, Option<String>)> = own
        .flat_map(|package| &package.dependencies)
        .map(|said| {
            let mut parts = said.split(' ').map(str::to_owned);
            (parts.next().unwrap_or_default(), parts.next())
        })
        .collect();
    for package in lock.package {
        let Some(source) = package.source else {
            out.own.push(package.name);
            continue;
        };
        let is_it = |(name, version): &(String, Option<String>)| {
            *name == package.name && version.as_ref().is_none_or(|version| *version == package.version)
        };
        let direct = if wanted.iter().any(is_it) { Directness::Yes } else { Directness::No };
        let (at, version_source) = (file.parent(), VersionSource::File(file.display()));
        let Package { name, version, .. } = package;
        out.add(Entry { name, version, version_source, direct, at, source });
    }
}

pub(crate) fn place(project: &Project<'_>, entry: &Entry) -> Result<PackageSource, MissingSource> {
    let Entry { name, version, .. } = entry;
    let folder = format!("{name}-{version}");
    let mut searched = Vec::new();
    if !is_plain(name) || !is_plain(&folder) {
        return Err(MissingSource {
            searched,
            next: "the name in the lock file is not a valid crate name".to_owned(),
        });
    }
    let label = label(Ecosystem::Rust, name, version);
    let found = |path: WorkspacePath| PackageSource { path, version: version.clone() };
    for vendored in [format!("vendor/{folder}"), format!("vendor/{name}")] {
        let Some(at) = entry.at.as_ref().filter(|at| project.is_directory(at, "vendor")) else { break };
        if let Ok(path) =
            project.open(&at.raw().join(&vendored), &project.workspace.allowed_parents(), &label)
            && is_it(project, &path, entry)
        {
            return Ok(found(path));
        }
        searched.push(format!("{}/{vendored}", at.display()));
    }
    let Some(home) = &project.stores.cargo else {
        return Err(MissingSource {
            searched,
            next: "Cargo's home directory is not known: set CARGO_HOME".to_owned(),
        });
    };
    let store = if entry.source.starts_with("git+") { "git/checkouts" } else { "registry/src" };
    searched.push(home.join(store).display().to_string());
    if let Some(holder) = AllowedParent::open(&home.join(store)) {
        let path = match entry.source.strip_prefix("git+") {
            Some(git) => checkout(project, &holder, git, entry, &label),
            None => project.list(&holder.place()).into_iter().find_map(|registry| {
                project
                    .open(&holder.path().join(registry).join(&folder), std::slice::from_ref(&holder), &label)
                    .ok()
            }),
        };
        if let Some(path) = path {
            return Ok(found(path));
        }
    }
    Err(MissingSource { searched, next: "run `cargo fetch` to install the sources".to_owned() })
}

/// Finds the directory of a crate in Cargo's checkout of a Git repository.
fn checkout(
    project: &Project<'_>,
    holder: &AllowedParent,
    git: &str,
    entry: &Entry,
    label: &str,
) -> Option<WorkspacePath> {
    let (address, commit) = git.split_once('#')?;
    let address = address.split('?').next()?.trim_end_matches('/');
    let repository = address.rsplit('/').next()?.trim_end_matches(".git").to_lowercase();
    let commit = commit.get(..7).filter(|commit| is_plain(commit))?;
    let is_of =
        |folder: &String| folder.to_lowercase().rsplit_once('-').is_some_and(|(name, _)| name == repository);
    project.list(&holder.place()).into_iter().filter(is_of).find_map(|folder| {
        let top = holder.path().join(folder).join(commit);
        let holders = std::slice::from_ref(holder);
        crate_below(project, &top, holders, entry, label, DEPTH)
    })
}

fn crate_below(
    project: &Project<'_>,
    directory: &Path,
    holders: &[AllowedParent],
    entry: &Entry,
    label: &str,
    depth: usize,
) -> Option<WorkspacePath> {
    let path = project.open(directory, holders, label).ok()?;
    if is_it(project, &path, entry) {
        return Some(path);
    }
    let below = project.list(&path);
    let below =
        below.iter().filter(|name| depth > 0 && !name.starts_with('.') && project.is_directory(&path, name));
    below
        .into_iter()
        .find_map(|name| crate_below(project, &directory.join(name), holders, entry, label, depth - 1))
}

/// Returns whether a directory contains the crate of a lock file entry. The version is not compared if the crate
/// inherits it from a Cargo workspace.
fn is_it(project: &Project<'_>, path: &WorkspacePath, entry: &Entry) -> bool {
    let manifest =
        project.text_in(path, "Cargo.toml").and_then(|text| toml::from_str::<Manifest>(&text).ok());
    manifest.and_then(|manifest| manifest.package).is_some_and(|package| {
        let version = package.version.as_ref().and_then(toml::Value::as_str);
        package.name == entry.name && version.is_none_or(|version| version == entry.version)
    })
}
