//! npm packages as dependencies: `package.json`, lock files, and the nearest `node_modules`.

use crate::dependency_list::{
    DependencyList, Directness, Entry, MissingSource, PackageSource, VersionSource,
};
use crate::name::Ecosystem;
use crate::npm_lock;
use crate::project::{Project, is_plain, label};
use serde_json::Value;
use std::path::{Path, PathBuf};
use toolpost_workspace::{AllowedParent, WorkspacePath};

/// Keys of `package.json` that list dependencies.
const NEEDS: [&str; 3] = ["dependencies", "devDependencies", "optionalDependencies"];
const LOCKS: [&str; 4] = ["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock"];

pub(crate) fn locked(project: &Project<'_>) -> DependencyList {
    let mut out = DependencyList::default();
    for file in project.named(&["package.json"]) {
        let manifest = match project.text(file).and_then(|text| json(&text)) {
            Ok(manifest) => manifest,
            Err(why) => {
                out.odd.push(format!("{}: {why}", file.display()));
                continue;
            }
        };
        let Some(at) = file.parent() else { continue };
        out.read.push(file.display());
        out.own.extend(manifest.get("name").and_then(Value::as_str).map(str::to_owned));
        let needed = NEEDS.iter().filter_map(|key| manifest.get(key)?.as_object());
        for name in needed.flat_map(|needed| needed.keys()) {
            let found = nearest(project, &at, name);
            let version_source = if found.is_some() { installed() } else { VersionSource::Unknown };
            let version = found.map(|found| found.version).unwrap_or_default();
            let (name, at, source) = (name.clone(), Some(at.clone()), String::new());
            out.add(Entry { name, version, version_source, direct: Directness::Yes, at, source });
        }
    }
    for file in project.named(&LOCKS) {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let listed = match (project.text(file), name) {
            (Err(why), _) => Err(why),
            (Ok(text), "pnpm-lock.yaml") => Ok(npm_lock::pnpm(&text)),
            (Ok(text), "yarn.lock") => Ok(npm_lock::yarn(&text)),
            (Ok(text), _) => npm_lock::npm(&text),
        };
        match listed {
            Ok(listed) => {
                out.read.push(file.display());
                for (name, version, source) in listed {
                    let (at, version_source) = (file.parent(), VersionSource::File(file.display()));
                    out.add(Entry { name, version, version_source, direct: Directness::No, at, source });
                }
            }
            Err(why) => out.odd.push(format!("{}: {why}", file.display())),
        }
    }
    let own = out.own.clone();
    out.entries.retain(|entry| !own.contains(&entry.name) || !entry.version.is_empty());
    out
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("the file is not JSON: {error}"))
}

/// Returns the source of the version of an installed package: its own manifest.
fn installed() -> VersionSource {
    VersionSource::Installed("node_modules".to_owned())
}

/// A function that returns the directories that may contain a package; its second argument is the directory that
/// requires the package.
type Search = fn(&Project<'_>, &WorkspacePath, &Entry) -> Vec<PathBuf>;

/// Finds an installed package that no manifest or lock file lists.
pub(crate) fn unlisted(project: &Project<'_>, name: &str) -> Option<Entry> {
    let manifests = project.named(&["package.json"]).filter_map(WorkspacePath::parent);
    let roots = project.workspace.roots().iter().filter_map(|root| project.workspace.within(root, ".").ok());
    let (at, found) =
        manifests.chain(roots).find_map(|at| Some((at.clone(), nearest(project, &at, name)?)))?;
    let (name, version, source) = (name.to_owned(), found.version, String::new());
    Some(Entry { name, version, version_source: installed(), direct: Directness::No, at: Some(at), source })
}

pub(crate) fn place(project: &Project<'_>, entry: &Entry) -> Result<PackageSource, MissingSource> {
    let mut searched = Vec::new();
    let Some(at) = entry.at.as_ref().filter(|_| is_name(&entry.name)) else {
        return Err(MissingSource { searched, next: "the name is not a valid package name".to_owned() });
    };
    let holders = holders(project, at);
    let ways: [Search; 3] = [upward, stored, nested];
    let mut tried: Vec<PathBuf> = Vec::new();
    for way in ways {
        for folder in way(project, at, entry) {
            if tried.contains(&folder) {
                continue;
            }
            match opened(project, &folder, &holders, &entry.name) {
                Some(found) if entry.version.is_empty() || found.version == entry.version => {
                    return Ok(found);
                }
                Some(other) => searched.push(format!("{} (which is {})", folder.display(), other.version)),
                None => searched.push(folder.display().to_string()),
            }
            tried.push(folder);
        }
    }
    let plug_and_play = at.raw().ancestors().find(|above| {
        project
            .workspace
            .resolve(&above.join(".pnp.cjs").to_string_lossy())
            .is_ok_and(|path| project.workspace.stat(&path).is_ok())
    });
    let next = match plug_and_play {
        Some(_) => "Yarn keeps the packages of this project in archives (.pnp.cjs), which Toolpost does not \
                    read: `yarn unplug` unpacks one package, and `nodeLinker: node-modules` unpacks all"
            .to_owned(),
        None => "run `npm install`, or your package manager's equivalent, to install the sources".to_owned(),
    };
    searched.truncate(6);
    Err(MissingSource { searched, next })
}

/// Returns the directories in which Node looks for a package, from `at` upwards. The location that the lock file states
/// comes first.
fn upward(project: &Project<'_>, at: &WorkspacePath, entry: &Entry) -> Vec<PathBuf> {
    let plain = !entry.source.is_empty() && entry.source.split('/').all(is_plain);
    let said = plain.then(|| at.raw().join(&entry.source));
    let found = modules(project, at).into_iter().map(|(folder, _)| folder.join(&entry.name));
    said.into_iter().chain(found).collect()
}

/// Returns the directories that contain a package in pnpm's stores: `node_modules/.pnpm` in the directory `at` and
/// above it.
fn stored(project: &Project<'_>, at: &WorkspacePath, entry: &Entry) -> Vec<PathBuf> {
    let stored = format!("{}@{}", entry.name.replace('/', "+"), entry.version);
    let is_stored = |folder: &String| {
        folder.strip_prefix(&stored).is_some_and(|rest| rest.is_empty() || rest.starts_with(['_', '(']))
    };
    let mut out = Vec::new();
    for (folder, _) in modules(project, at).into_iter().filter(|_| !entry.version.is_empty()) {
        let store = folder.join(".pnpm");
        let names = project.open(&store, &holders(project, at), ".pnpm").map(|store| project.list(&store));
        let stored = names.unwrap_or_default().into_iter().filter(is_stored);
        out.extend(stored.map(|folder| store.join(folder).join("node_modules").join(&entry.name)));
    }
    out
}

/// Returns the directories of a package inside other packages in `node_modules`, in `at` and above it. Yarn installs
/// further versions there without recording the location.
fn nested(project: &Project<'_>, at: &WorkspacePath, entry: &Entry) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let wanted = !entry.version.is_empty() && entry.source.is_empty();
    for (folder, modules) in modules(project, at).into_iter().filter(|_| wanted) {
        let others = project.list(&modules).into_iter().filter(|other| !other.starts_with(['.', '@']));
        let holding = others
            .filter(|other| project.is_directory(&modules, &format!("{other}/node_modules/{}", entry.name)));
        out.extend(holding.map(|other| folder.join(other).join("node_modules").join(&entry.name)));
    }
    out
}

/// Opens each directory `node_modules` in `at` or above it, the nearest first.
fn modules(project: &Project<'_>, at: &WorkspacePath) -> Vec<(PathBuf, WorkspacePath)> {
    let holders = holders(project, at);
    let all = at.raw().ancestors().map(|above| above.join("node_modules"));
    all.filter_map(|folder| project.open(&folder, &holders, "node_modules").ok().map(|open| (folder, open)))
        .collect()
}

/// Finds the package that Node would load for a file in the directory `at`.
fn nearest(project: &Project<'_>, at: &WorkspacePath, name: &str) -> Option<PackageSource> {
    if !is_name(name) {
        return None;
    }
    let holders = holders(project, at);
    at.raw()
        .ancestors()
        .find_map(|above| opened(project, &above.join("node_modules").join(name), &holders, name))
}

/// Opens the directory of a package and reads the version in its `package.json`.
fn opened(
    project: &Project<'_>,
    folder: &Path,
    holders: &[AllowedParent],
    name: &str,
) -> Option<PackageSource> {
    let path = project.open(folder, holders, name).ok()?;
    let manifest = project.text_in(&path, "package.json")?;
    let manifest: Value = serde_json::from_str(&manifest).ok()?;
    let version = manifest.get("version").and_then(Value::as_str).unwrap_or_default().to_owned();
    let path = project.open(folder, holders, &label(Ecosystem::JavaScript, name, &version)).ok()?;
    Some(PackageSource { path, version })
}

/// Returns the directories in which packages may be opened: the roots, and `node_modules` in the directories above the
/// root of `at`.
fn holders(project: &Project<'_>, at: &WorkspacePath) -> Vec<AllowedParent> {
    let mut out = project.workspace.allowed_parents();
    let above = at.root().path().ancestors().skip(1);
    out.extend(above.filter_map(|above| AllowedParent::open(&above.join("node_modules"))));
    out
}

/// Returns whether a text is a valid name of an npm package, such as `express` or `@babel/core`.
fn is_name(name: &str) -> bool {
    match name.split_once('/') {
        Some((scope, name)) => scope.starts_with('@') && is_plain(scope) && is_plain(name),
        None => is_plain(name) && !name.starts_with(['.', '@']),
    }
}
