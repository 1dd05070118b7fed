//! Python distributions as dependencies: they are found in the project's environments, and located by their `RECORD`
//! files.

use crate::dependency_list::{
    DependencyList, Directness, Entry, MissingSource, PackageSource, VersionSource,
};
use crate::name::{Ecosystem, python};
use crate::project::{Project, is_plain, is_requirements, label};
use crate::requirements;
use serde::Deserialize;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use toolpost_workspace::walk::found_below;
use toolpost_workspace::{AllowedParent, WorkspacePath};

/// Usual directory names of virtual environments in a project.
const ENVIRONMENTS: [&str; 3] = [".venv", "venv", "env"];
/// Maximum depth of a package in a namespace package.
const DEPTH: usize = 4;

#[derive(Deserialize)]
struct Lock {
    #[serde(default)]
    package: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: Option<String>,
}

pub(crate) fn locked(project: &Project<'_>) -> DependencyList {
    let mut out = DependencyList::default();
    let needed = needed(project, &mut out);
    for site in sites(project) {
        for folder in project.list(&site) {
            let Some((name, version)) =
                folder.strip_suffix(".dist-info").and_then(|stem| stem.split_once('-'))
            else {
                continue;
            };
            let asked = || project.text_in(&site, &format!("{folder}/REQUESTED")).is_some();
            let is_direct = if needed.is_empty() { asked() } else { needed.contains(&python(name)) };
            let direct = if is_direct { Directness::Yes } else { Directness::No };
            let (name, version, at) = (python(name), version.to_owned(), Some(site.clone()));
            let version_source = VersionSource::Installed(project.shown(site.raw()));
            if !out.own.contains(&name) {
                out.add(Entry { name, version, version_source, direct, at, source: folder.clone() });
            }
        }
    }
    for file in project.named(&["uv.lock", "poetry.lock"]) {
        let read = project.text(file);
        match read.and_then(|text| toml::from_str::<Lock>(&text).map_err(|error| error.message().to_owned()))
        {
            Ok(lock) => {
                out.read.push(file.display());
                for package in lock.package {
                    let name = python(&package.name);
                    let direct = if needed.contains(&name) { Directness::Yes } else { Directness::No };
                    let installed = out.entries.iter().find(|entry| entry.name == name);
                    let other = |version: &String| installed.is_some_and(|entry| entry.version != *version);
                    let version =
                        package.version.filter(|version| !other(version) && !out.own.contains(&name));
                    if let Some(version) = version {
                        let (source, version_source) = (String::new(), VersionSource::File(file.display()));
                        out.add(Entry { name, version, version_source, direct, at: None, source });
                    }
                }
            }
            Err(why) => out.odd.push(format!("{}: {why}", file.display())),
        }
    }
    for name in needed {
        if !out.entries.iter().any(|entry| entry.name == name) && !out.own.contains(&name) {
            let (version, source) = (String::new(), String::new());
            let (version_source, direct) = (VersionSource::Unknown, Directness::Yes);
            out.add(Entry { name, version, version_source, direct, at: None, source });
        }
    }
    out
}

/// Returns the names of the packages that the project's manifests require.
fn needed(project: &Project<'_>, out: &mut DependencyList) -> HashSet<String> {
    let mut needed = HashSet::new();
    for file in &project.manifests {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let read = match name {
            "pyproject.toml" => project.text(file).and_then(|text| requirements::project(&text)),
            _ if is_requirements(name) => project.text(file).map(|text| (requirements::listed(&text), None)),
            _ => continue,
        };
        match read {
            Ok((names, own)) => {
                out.read.push(file.display());
                out.own.extend(own);
                needed.extend(names);
            }
            Err(why) => out.odd.push(format!("{}: {why}", file.display())),
        }
    }
    needed
}

/// Opens the `site-packages` directories of the project's virtual environments, and of the active environment.
pub(crate) fn sites(project: &Project<'_>) -> Vec<WorkspacePath> {
    let holders = holders(project);
    let mut environments: Vec<std::path::PathBuf> = Vec::new();
    for holder in project.workspace.allowed_parents() {
        environments.extend(ENVIRONMENTS.map(|name| holder.path().join(name)));
    }
    let of_python = |path: &&WorkspacePath| path.file_name().is_some_and(|name| name == "pyproject.toml");
    for project in project.manifests.iter().filter(of_python).filter_map(WorkspacePath::parent) {
        environments.extend(ENVIRONMENTS.map(|name| project.raw().join(name)));
    }
    environments.extend(project.stores.python.clone());
    let mut out: Vec<WorkspacePath> = Vec::new();
    for environment in environments {
        let Ok(libraries) = project.open(&environment.join("lib"), &holders, "lib") else { continue };
        for version in project.list(&libraries).iter().filter(|name| name.starts_with("python")) {
            let site = environment.join("lib").join(version).join("site-packages");
            if let Ok(site) = project.open(&site, &holders, "site-packages")
                && !out.contains(&site)
            {
                out.push(site);
            }
        }
    }
    out
}

/// Finds the distribution that provides the module with an import name, such as `yaml`.
pub(crate) fn imported(project: &Project<'_>, locked: &DependencyList, name: &str) -> Option<Entry> {
    let has = |entry: &&Entry| tops(project, entry).is_some_and(|tops| tops.contains_key(name));
    let entry = locked.entries.iter().find(has)?;
    Some(Entry { name: name.to_owned(), ..entry.clone() })
}

pub(crate) fn place(project: &Project<'_>, entry: &Entry) -> Result<PackageSource, MissingSource> {
    let absent = |next: &str| {
        let searched = sites(project).iter().map(|site| site.raw().display().to_string()).collect::<Vec<_>>();
        let searched = if searched.is_empty() {
            vec!["no environment: there is no .venv, venv or env".to_owned()]
        } else {
            searched
        };
        MissingSource { searched, next: next.to_owned() }
    };
    let Some(site) = &entry.at else {
        return Err(absent(
            "install it into the project's environment (.venv), or start Toolpost with VIRTUAL_ENV set to \
             the environment that has it",
        ));
    };
    let tops = tops(project, entry).unwrap_or_default();
    let by_name = tops.keys().find(|top| {
        let last = top.rsplit('/').next().unwrap_or(top);
        python(last.trim_end_matches(".py")) == python(&entry.name)
    });
    let most = || tops.iter().max_by_key(|(_, files)| **files).map(|(top, _)| top);
    let Some(top) = by_name.or_else(most) else {
        return Err(absent(
            "the package's RECORD file is missing or lists no Python files; if the package is an editable \
             install, search its source directory by its path",
        ));
    };
    let (holders, version) = (holders(project), entry.version.clone());
    let label = label(Ecosystem::Python, &entry.name, &version);
    let path = if project.is_directory(site, top) {
        project.open(&site.raw().join(top), &holders, &label).ok()
    } else {
        let single = project.open(site.raw(), &holders, &label).ok();
        single.and_then(|site| found_below(&site, top.as_bytes()))
    };
    path.map(|path| PackageSource { path, version })
        .ok_or_else(|| absent("the package's files are not at the locations in its RECORD file"))
}

/// Returns the top-level packages and modules of a distribution, each with its number of files. `None` if the
/// distribution has no readable `RECORD` file.
fn tops(project: &Project<'_>, entry: &Entry) -> Option<BTreeMap<String, usize>> {
    let site = entry.at.as_ref()?;
    let record = project.text_in(site, &format!("{}/RECORD", entry.source))?;
    let files: Vec<&str> = record.lines().filter_map(|line| line.split(',').next()).collect();
    let mut out = BTreeMap::new();
    for file in &files {
        let parts: Vec<&str> = file.split('/').collect();
        let code = file.ends_with(".py") || file.ends_with(".pyi");
        let plain = parts.iter().all(|part| is_plain(part));
        if !plain || !code || parts[0].ends_with(".dist-info") || parts[0].ends_with(".data") {
            continue;
        }
        let depth = (1..parts.len().min(DEPTH + 1)).find(|depth| {
            let above = parts[..*depth].join("/");
            files.iter().any(|file| {
                file.strip_prefix(above.as_str())
                    .is_some_and(|rest| rest == "/__init__.py" || rest == "/__init__.pyi")
            })
        });
        // If no directory on the path has an `__init__.py`, a single file is a module, and otherwise the innermost
        // directory counts as the package.
        let top = parts[..depth.unwrap_or(if parts.len() == 1 { 1 } else { parts.len() - 1 })].join("/");
        *out.entry(top).or_default() += 1;
    }
    Some(out)
}

/// Returns the directories in which virtual environments may be opened: the roots and the active environment.
fn holders(project: &Project<'_>) -> Vec<AllowedParent> {
    let mut out = project.workspace.allowed_parents();
    out.extend(project.stores.python.as_deref().and_then(|path: &Path| AllowedParent::open(path)));
    out
}
