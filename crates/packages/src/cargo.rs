//! Rust crates: `Cargo.lock`, the registry, Git checkouts and `vendor`.

use crate::here::{Here, is_plain, label};
use crate::locked::{Absent, Direct, Entry, Found, Locked};
use crate::name::Ecosystem;
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

/// The name and version in a crate's manifest.
#[derive(Deserialize)]
struct Manifest {
    package: Option<Named>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
    version: Option<toml::Value>,
}

/// Maximum depth of a crate inside a Git checkout.
const DEPTH: usize = 4;

pub(crate) fn locked(here: &Here<'_>) -> Locked {
    let mut out = Locked::default();
    for file in here.named(&["Cargo.lock"]) {
        let read = here.text(file).ok_or_else(|| "it cannot be read".to_owned());
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

fn add(out: &mut Locked, lock: Lock, file: &WorkspacePath) {
    let own = lock.package.iter().filter(|package| package.source.is_none());
    // `name`; `name version` if several versions exist; or `name version (source)`.
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
        let direct = if wanted.iter().any(is_it) { Direct::Yes } else { Direct::No };
        let at = file.parent();
        out.add(Entry { name: package.name, version: package.version, direct, at, source });
    }
}

pub(crate) fn place(here: &Here<'_>, entry: &Entry) -> Result<Found, Absent> {
    let Entry { name, version, .. } = entry;
    let folder = format!("{name}-{version}");
    let mut looked = Vec::new();
    if !is_plain(name) || !is_plain(&folder) {
        return Err(Absent { looked, next: "its name in the lock file is no name of a crate".to_owned() });
    }
    let label = label(Ecosystem::Rust, name, version);
    let found = |path: WorkspacePath| Found { path, version: version.clone() };
    for vendored in [format!("vendor/{folder}"), format!("vendor/{name}")] {
        let Some(at) = entry.at.as_ref().filter(|at| here.is_directory(at, "vendor")) else { break };
        if let Ok(path) = here.open(&at.raw().join(&vendored), &here.workspace.allowed_parents(), &label)
            && is_it(here, &path, entry)
        {
            return Ok(found(path));
        }
        looked.push(format!("{}/{vendored}", at.display()));
    }
    let Some(home) = &here.places.cargo else {
        return Err(Absent { looked, next: "no home of Cargo is known: set CARGO_HOME".to_owned() });
    };
    let store = if entry.source.starts_with("git+") { "git/checkouts" } else { "registry/src" };
    looked.push(home.join(store).display().to_string());
    if let Some(holder) = AllowedParent::open(&home.join(store)) {
        let path = match entry.source.strip_prefix("git+") {
            Some(git) => checkout(here, &holder, git, entry, &label),
            None => here.list(&holder.place()).into_iter().find_map(|registry| {
                here.open(&holder.path().join(registry).join(&folder), std::slice::from_ref(&holder), &label)
                    .ok()
            }),
        };
        if let Some(path) = path {
            return Ok(found(path));
        }
    }
    Err(Absent { looked, next: "`cargo fetch` gets it".to_owned() })
}

/// Finds a crate in a Git checkout.
fn checkout(
    here: &Here<'_>,
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
    here.list(&holder.place()).into_iter().filter(is_of).find_map(|folder| {
        let top = holder.path().join(folder).join(commit);
        let holders = std::slice::from_ref(holder);
        crate_below(here, &top, holders, entry, label, DEPTH)
    })
}

fn crate_below(
    here: &Here<'_>,
    directory: &Path,
    holders: &[AllowedParent],
    entry: &Entry,
    label: &str,
    depth: usize,
) -> Option<WorkspacePath> {
    let path = here.open(directory, holders, label).ok()?;
    if is_it(here, &path, entry) {
        return Some(path);
    }
    let below = here.list(&path);
    let below =
        below.iter().filter(|name| depth > 0 && !name.starts_with('.') && here.is_directory(&path, name));
    below
        .into_iter()
        .find_map(|name| crate_below(here, &directory.join(name), holders, entry, label, depth - 1))
}

/// Returns whether the directory holds the crate. A version that is inherited from a Cargo workspace is not
/// compared.
fn is_it(here: &Here<'_>, path: &WorkspacePath, entry: &Entry) -> bool {
    let manifest = here.text_in(path, "Cargo.toml").and_then(|text| toml::from_str::<Manifest>(&text).ok());
    manifest.and_then(|manifest| manifest.package).is_some_and(|package| {
        let version = package.version.as_ref().and_then(toml::Value::as_str);
        package.name == entry.name && version.is_none_or(|version| version == entry.version)
    })
}
