//! Resolution of a dependency name to its sources.

use crate::archive::ArchiveCache;
use crate::dependency_list::{DependencyList, Direct, Entry, MissingSource, PackageSource};
use crate::name::{Ecosystem, Name, read};
use crate::project::Project;
use crate::stores::PackageStores;
use crate::{cargo, golang, javascript, maven, python};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use toolpost_text::counted::counted;
use toolpost_text::names::suggest;
use toolpost_workspace::{PathError, Workspace, WorkspacePath};

/// Maximum number of files that a message lists.
const NAMED: usize = 12;

/// The dependencies of a workspace; cheap to clone.
#[derive(Clone)]
pub struct Dependencies(Arc<Inner>);

struct Inner {
    workspace: Workspace,
    stores: PackageStores,
    unpacked: ArchiveCache,
    /// Parsed dependencies of each ecosystem, with the state of the files they came from.
    known: Mutex<HashMap<Ecosystem, (FileStamp, Arc<DependencyList>)>>,
}

/// Path, modification time, length and inode of each file.
type FileStamp = Vec<(WorkspacePath, i128, u64, u64)>;

/// A resolved dependency name.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedPath {
    /// Its location, displayed as `rust:serde@1.0.228/src/lib.rs`.
    pub path: WorkspacePath,
    /// Choices that were made for an ambiguous name.
    pub notes: Vec<String>,
}

/// A dependency whose sources are on this machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Package {
    /// Name with version.
    pub label: String,
    /// Its directory, or its only file.
    pub path: WorkspacePath,
    /// Direct or transitive.
    pub direct: Direct,
}

/// A dependency whose sources are not on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingPackage {
    /// Name with version.
    pub label: String,
    /// Direct or transitive.
    pub direct: Direct,
    /// Instruction for installing it.
    pub next: String,
}

/// All dependencies of a project.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Inventory {
    /// Dependencies with sources on this machine, direct ones first.
    pub packages: Vec<Package>,
    /// Dependencies without sources on this machine.
    pub missing: Vec<MissingPackage>,
    /// Display paths of the files that were read.
    pub read: Vec<String>,
    /// Files that could not be parsed, with the reason.
    pub odd: Vec<String>,
}

/// An unresolved dependency name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolveError {
    /// Category of the failure.
    pub why: ResolveErrorKind,
    /// Message, in full sentences.
    pub what: String,
    /// Evidence: the packages or locations that were found instead.
    pub found: Option<String>,
    /// Similar names.
    pub near: Vec<String>,
    /// Suggested next step.
    pub next: Option<String>,
}

/// Category of an unresolved dependency name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResolveErrorKind {
    /// Invalid syntax.
    Malformed,
    /// The project does not depend on the package, or not on this version.
    Unknown,
    /// The project depends on several versions.
    Several,
    /// The sources are not on this machine.
    Absent,
    /// The path leads out of the package.
    Outside,
}

impl Dependencies {
    /// Creates a resolver; reads nothing yet.
    #[must_use]
    pub fn new(workspace: Workspace, stores: PackageStores) -> Self {
        Self(Arc::new(Inner {
            workspace,
            stores,
            unpacked: ArchiveCache::default(),
            known: Mutex::default(),
        }))
    }

    /// Resolves a dependency name.
    ///
    /// # Errors
    /// If the name is invalid, if the project does not depend on it, or if its sources are not on this
    /// machine.
    pub fn resolve(&self, said: &str) -> Result<ResolvedPath, ResolveError> {
        let inner = &*self.0;
        let malformed = |what: String| ResolveError {
            why: ResolveErrorKind::Malformed,
            what,
            found: None,
            near: Vec::new(),
            next: None,
        };
        let name = match read(said) {
            Some(read) => read.map_err(malformed)?,
            None => return Err(malformed(format!("{said} is not a dependency name."))),
        };
        let project = inner.project();
        let locked = inner.locked(name.ecosystem, &project);
        let name = if name.ecosystem == Ecosystem::Go { module(name, &locked) } else { name };
        let (entry, notes) = choose(&project, &locked, &name)?;
        let found =
            place(name.ecosystem, &project, &entry).map_err(|absent| not_here(&name, &entry, absent))?;
        let path = below(&inner.workspace, &found, &name, said)?;
        Ok(ResolvedPath { path, notes })
    }

    /// Lists all dependencies; polls `stop` between packages.
    pub fn all(&self, stop: &dyn Fn() -> bool) -> Inventory {
        let inner = &*self.0;
        let project = inner.project();
        let mut all = Inventory::default();
        for ecosystem in Ecosystem::ALL {
            let locked = inner.locked(ecosystem, &project);
            all.read.extend(locked.read.iter().cloned());
            all.odd.extend(locked.odd.iter().cloned());
            for entry in &locked.entries {
                if stop() {
                    break;
                }
                let label = |version: &str| crate::project::label(ecosystem, &entry.name, version);
                match place(ecosystem, &project, entry) {
                    Ok(PackageSource { path, version }) => {
                        all.packages.push(Package { label: label(&version), path, direct: entry.direct });
                    }
                    Err(MissingSource { next, .. }) => {
                        all.missing.push(MissingPackage {
                            label: label(&entry.version),
                            direct: entry.direct,
                            next,
                        });
                    }
                }
            }
        }
        all.read.dedup();
        all.packages.sort_by(|one, other| (one.direct, &one.label).cmp(&(other.direct, &other.label)));
        all.packages.dedup_by(|one, other| one.label == other.label);
        all.missing.sort_by(|one, other| (one.direct, &one.label).cmp(&(other.direct, &other.label)));
        all.missing.dedup();
        all
    }
}

impl Inner {
    fn project(&self) -> Project<'_> {
        Project::scan(&self.workspace, &self.stores, &self.unpacked)
    }

    /// Returns the dependencies of an ecosystem, and parses its files again if they changed.
    fn locked(&self, ecosystem: Ecosystem, project: &Project<'_>) -> Arc<DependencyList> {
        let print = self.print(ecosystem, project);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((old, locked)) = known.get(&ecosystem)
            && *old == print
        {
            return locked.clone();
        }
        let locked = Arc::new(match ecosystem {
            Ecosystem::Rust => cargo::locked(project),
            Ecosystem::JavaScript => javascript::locked(project),
            Ecosystem::Python => python::locked(project),
            Ecosystem::Go => golang::locked(project),
            Ecosystem::Java => maven::locked(project),
        });
        known.insert(ecosystem, (print, locked.clone()));
        locked
    }

    fn print(&self, ecosystem: Ecosystem, project: &Project<'_>) -> FileStamp {
        let mut paths = project.manifests.clone();
        match ecosystem {
            Ecosystem::Python => paths.extend(python::sites(project)),
            Ecosystem::JavaScript => {
                let modules = |root| self.workspace.within(root, "node_modules").ok();
                paths.extend(self.workspace.roots().iter().filter_map(modules));
            }
            Ecosystem::Rust | Ecosystem::Go | Ecosystem::Java => {}
        }
        let print = |path: WorkspacePath| {
            let stat = self.workspace.stat(&path).ok()?;
            Some((path, stat.modified, stat.len, stat.inode))
        };
        paths.into_iter().filter_map(print).collect()
    }
}

fn place(ecosystem: Ecosystem, project: &Project<'_>, entry: &Entry) -> Result<PackageSource, MissingSource> {
    match ecosystem {
        Ecosystem::Rust => cargo::place(project, entry),
        Ecosystem::JavaScript => javascript::place(project, entry),
        Ecosystem::Python => python::place(project, entry),
        Ecosystem::Go => golang::place(project, entry),
        Ecosystem::Java => maven::place(project, entry),
    }
}

/// Splits a Go import path into the longest module that the project requires and the path inside it.
fn module(name: Name, locked: &DependencyList) -> Name {
    let rest = |module: &str| {
        let rest = name.package.strip_prefix(module)?;
        if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }
    };
    let modules = locked.entries.iter().filter(|entry| rest(&entry.name).is_some());
    let Some(entry) = modules.max_by_key(|entry| entry.name.len()) else { return name };
    let inside = rest(&entry.name).unwrap_or_default().to_owned();
    let below = [inside, name.below.clone()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
    Name { package: entry.name.clone(), below: below.join("/"), ..name }
}

/// Selects the package and the version.
fn choose(
    project: &Project<'_>,
    locked: &DependencyList,
    name: &Name,
) -> Result<(Entry, Vec<String>), ResolveError> {
    let same = |entry: &&Entry| name.ecosystem.same(&entry.name, &name.package);
    let mut named: Vec<Entry> = locked.entries.iter().filter(same).cloned().collect();
    if named.is_empty() {
        named.extend(match name.ecosystem {
            Ecosystem::JavaScript => javascript::unlisted(project, &name.package),
            Ecosystem::Python => python::imported(project, locked, &name.package),
            Ecosystem::Rust | Ecosystem::Go | Ecosystem::Java => None,
        });
    }
    if named.is_empty() {
        return Err(unknown(locked, name));
    }
    let bare = |version: &str| version.trim_start_matches('v').to_owned();
    let labels = |entries: &[Entry]| {
        let label = |entry: &Entry| crate::project::label(name.ecosystem, &entry.name, &entry.version);
        entries.iter().map(label).collect::<Vec<_>>()
    };
    if let Some(version) = &name.version {
        let of_version = |entry: &&Entry| bare(&entry.version) == bare(version);
        if let Some(entry) = named.iter().find(of_version) {
            return Ok((entry.clone(), Vec::new()));
        }
        if let [only] = named.as_slice()
            && only.version.is_empty()
        {
            return Ok((Entry { version: version.clone(), ..only.clone() }, Vec::new()));
        }
        let what = format!("The project does not depend on {} {version}.", name.package);
        return Err(ResolveError {
            why: ResolveErrorKind::Unknown,
            what,
            found: Some(format!("It depends on {}.", labels(&named).join(", "))),
            near: labels(&named),
            next: None,
        });
    }
    let direct: Vec<Entry> = named.iter().filter(|entry| entry.direct == Direct::Yes).cloned().collect();
    match (named.as_slice(), direct.as_slice()) {
        ([only], _) => Ok((only.clone(), Vec::new())),
        (all, [only]) => {
            let others: Vec<Entry> = all.iter().filter(|entry| *entry != only).cloned().collect();
            let note = format!(
                "{} is the version that the project itself requires; its dependencies also use {}",
                labels(std::slice::from_ref(only)).join(""),
                labels(&others).join(", ")
            );
            Ok((only.clone(), vec![note]))
        }
        (all, _) => Err(ResolveError {
            why: ResolveErrorKind::Several,
            what: format!(
                "The project depends on {} versions of {}: give the version.",
                all.len(),
                name.package
            ),
            found: Some(labels(all).join("\n")),
            near: labels(all),
            next: None,
        }),
    }
}

/// Returns the error for a package that the project does not depend on.
fn unknown(locked: &DependencyList, name: &Name) -> ResolveError {
    let prefix = name.ecosystem.prefix();
    let mut names: Vec<&str> = locked.entries.iter().map(|entry| entry.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let own = locked.own.iter().any(|own| name.ecosystem.same(own, &name.package));
    let names = if own { Vec::new() } else { names };
    let near = suggest(&name.package, &names, 5).into_iter().map(|near| format!("{prefix}:{near}")).collect();
    let what = match (own, locked.read.is_empty()) {
        (true, _) => format!("{} is a package of the workspace itself, not a dependency.", name.package),
        (false, false) => format!("The project does not depend on {prefix}:{}.", name.package),
        (false, true) => format!(
            "The dependencies of the project are unknown: there is no {} in the workspace.",
            files(name.ecosystem)
        ),
    };
    let mut found = Vec::new();
    if !locked.read.is_empty() {
        let count = counted(locked.entries.len() as u64, "package");
        let mut read = locked.read.clone();
        read.truncate(NAMED);
        found.push(format!("Looked at: {} ({count}).", read.join(", ")));
    }
    found.extend(locked.odd.iter().take(NAMED).map(|odd| format!("Could not parse: {odd}.")));
    let next = match own {
        true => "Search it by its path.".to_owned(),
        false => "Only packages in the lock files of the workspace are found, in the versions that the project uses.".to_owned(),
    };
    let found = (!found.is_empty()).then(|| found.join("\n"));
    ResolveError { why: ResolveErrorKind::Unknown, what, found, near, next: Some(next) }
}

fn files(ecosystem: Ecosystem) -> &'static str {
    match ecosystem {
        Ecosystem::Rust => "Cargo.lock",
        Ecosystem::JavaScript => "package.json or lock file of npm, pnpm or Yarn",
        Ecosystem::Python => "pyproject.toml, uv.lock, poetry.lock, requirements.txt or environment (.venv)",
        Ecosystem::Go => "go.mod",
        Ecosystem::Java => "pom.xml or gradle.lockfile",
    }
}

/// Returns the error for a package without sources on this machine.
fn not_here(name: &Name, entry: &Entry, absent: MissingSource) -> ResolveError {
    let label = crate::project::label(name.ecosystem, &entry.name, &entry.version);
    let looked = absent.looked.join("\n");
    ResolveError {
        why: ResolveErrorKind::Absent,
        what: format!("The project depends on {label}, whose sources are not on this machine."),
        found: (!looked.is_empty()).then(|| format!("Looked at:\n{looked}")),
        near: Vec::new(),
        next: Some(format!("{}.", absent.next)),
    }
}

/// Resolves the path inside a package.
fn below(
    workspace: &Workspace,
    found: &PackageSource,
    name: &Name,
    said: &str,
) -> Result<WorkspacePath, ResolveError> {
    if name.below.is_empty() {
        return Ok(found.path.clone());
    }
    let outside = |what: String| ResolveError {
        why: ResolveErrorKind::Outside,
        what,
        found: None,
        near: vec![found.path.display()],
        next: None,
    };
    if !found.path.is_root() {
        // A package of one file lies next to files of other packages.
        let own = found.path.relative().to_str() == Some(name.below.as_str());
        let what =
            || format!("{said} leads out of the package, which is the one file {}.", found.path.display());
        return if own { Ok(found.path.clone()) } else { Err(outside(what())) };
    }
    workspace.resolve_external(&found.path, said, &name.below).map_err(|error| match error {
        PathError::Outside { target, .. } => {
            let by = target.map_or_else(String::new, |target| format!(": a link in it leads to {target}"));
            outside(format!("{said} leads out of the package{by}."))
        }
        other => outside(format!("{other}.")),
    })
}
