//! Resolution of a dependency name, such as `rust:serde`, to the sources of the package.

use crate::archive::ArchiveCache;
use crate::dependency_list::{
    DependencyList, Directness, Entry, MissingSource, PackageSource, VersionSource,
};
use crate::name::{Ecosystem, Name, read};
use crate::project::Project;
use crate::stores::PackageStores;
use crate::{cargo, golang, javascript, maven, python};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use toolpost_text::duplicates::remove_duplicates;
use toolpost_text::names::suggest;
use toolpost_text::plural::counted;
use toolpost_workspace::{PathError, Workspace, WorkspacePath};

/// Maximum number of lock files and manifests that a message lists.
const NAMED: usize = 12;

/// The dependencies of a workspace. Cloning is cheap.
#[derive(Clone)]
pub struct Dependencies(Arc<Inner>);

struct Inner {
    workspace: Workspace,
    stores: PackageStores,
    unpacked: ArchiveCache,
    /// The parsed dependencies of each ecosystem, with the state of the lock files and manifests that list them.
    known: Mutex<HashMap<Ecosystem, (FileStamp, Arc<DependencyList>)>>,
}

/// Path, modification time, length and inode of each lock file and manifest.
type FileStamp = Vec<(WorkspacePath, i128, u64, u64)>;

/// The result of resolving a dependency name.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedPath {
    /// The location of the package's sources, displayed like `rust:serde@1.0.228/src/lib.rs`.
    pub path: WorkspacePath,
    /// Notes for the user about the version that was chosen for an ambiguous name.
    pub notes: Vec<String>,
}

/// A dependency whose sources are on this machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Package {
    /// The displayed name with the version, such as `rust:serde@1.0.228`.
    pub label: String,
    /// The directory of the package, or its only file.
    pub path: WorkspacePath,
    /// The relation to the project: direct or transitive.
    pub direct: Directness,
    /// The source of the version.
    pub version_source: VersionSource,
}

/// A dependency whose sources are not on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingPackage {
    /// The displayed name with the version, such as `rust:serde@1.0.228`.
    pub label: String,
    /// The relation to the project: direct or transitive.
    pub direct: Directness,
    /// Instruction for installing the package, as a clause without a period.
    pub next: String,
}

/// All dependencies of a project.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Inventory {
    /// Dependencies with sources on this machine, direct ones first.
    pub packages: Vec<Package>,
    /// Dependencies without sources on this machine.
    pub missing: Vec<MissingPackage>,
    /// Displayed paths of the lock files and manifests that were read.
    pub read: Vec<String>,
    /// Lock files and manifests that could not be parsed, as `path: reason`.
    pub odd: Vec<String>,
}

/// The reason why a dependency name cannot be resolved, with advice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolveError {
    /// The category of the failure.
    pub why: ResolveErrorKind,
    /// The message for the user, in full sentences.
    pub what: String,
    /// Evidence for the user: other versions, or the locations that were searched.
    pub found: Option<String>,
    /// Similar dependency names, as suggestions.
    pub near: Vec<String>,
    /// The suggested next step, as a sentence.
    pub next: Option<String>,
}

/// The category of the failure to resolve a dependency name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResolveErrorKind {
    /// The dependency name has an invalid syntax.
    Malformed,
    /// The project does not depend on the package, or not on the version in the name.
    Unknown,
    /// The project depends on several versions of the package, and the name does not select one.
    Several,
    /// The sources of the package are not on this machine.
    Absent,
    /// The path in the name leads out of the package, or is invalid.
    Outside,
}

impl Dependencies {
    /// Creates a resolver for the dependencies of a workspace. Reads no file yet.
    #[must_use]
    pub fn new(workspace: Workspace, stores: PackageStores) -> Self {
        Self(Arc::new(Inner {
            workspace,
            stores,
            unpacked: ArchiveCache::default(),
            known: Mutex::default(),
        }))
    }

    /// Finds the sources of a package by its dependency name.
    ///
    /// # Errors
    /// If the name is invalid, if the project does not depend on the package, if the name does not select one of several
    /// versions, if the sources are not on this machine, or if the path in the name leads out of the package.
    pub fn resolve(&self, dependency: &str) -> Result<ResolvedPath, ResolveError> {
        let inner = &*self.0;
        let malformed = |what: String| ResolveError {
            why: ResolveErrorKind::Malformed,
            what,
            found: None,
            near: Vec::new(),
            next: None,
        };
        let name = match read(dependency) {
            Some(read) => read.map_err(malformed)?,
            None => {
                return Err(malformed(format!(
                    "{dependency} is not a dependency name: it must begin with rust:, js:, py:, go: or java:."
                )));
            }
        };
        let project = inner.project();
        let locked = inner.locked(name.ecosystem, &project);
        let name = if name.ecosystem == Ecosystem::Go { module(name, &locked) } else { name };
        let (entry, notes) = choose(&project, &locked, &name)?;
        let found =
            place(name.ecosystem, &project, &entry).map_err(|absent| not_here(&name, &entry, absent))?;
        let path = below(&inner.workspace, &found, &name, dependency)?;
        Ok(ResolvedPath { path, notes })
    }

    /// Lists all dependencies of the workspace. Calls `stop` between packages, and ends early if it returns true.
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
                        // If no file states the version, it is that of the package at this path.
                        let version_source = entry.version_source.clone();
                        let (label, direct) = (label(&version), entry.direct);
                        all.packages.push(Package { label, path, direct, version_source });
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
        remove_duplicates(&mut all.read);
        all.packages.sort_by(|one, other| (one.direct, &one.label).cmp(&(other.direct, &other.label)));
        all.packages.dedup_by(|one, other| one.label == other.label);
        all.missing.sort_by(|one, other| (one.direct, &one.label).cmp(&(other.direct, &other.label)));
        all.missing.dedup();
        all
    }
}

impl Inventory {
    /// Lists the version sources of all packages on this machine, each once, files first.
    #[must_use]
    pub fn version_sources(&self) -> Vec<&VersionSource> {
        let sources: BTreeSet<&VersionSource> =
            self.packages.iter().map(|package| &package.version_source).collect();
        sources.into_iter().collect()
    }
}

impl Inner {
    fn project(&self) -> Project<'_> {
        Project::scan(&self.workspace, &self.stores, &self.unpacked)
    }

    /// Returns the dependencies in an ecosystem. Lock files and manifests are parsed again only if one of them changed.
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

/// Splits a Go import path into the longest module that the project requires, and the path in that module.
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

/// Selects the package and version that a dependency name means. Also returns a note if there were several versions.
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
    let direct: Vec<Entry> = named.iter().filter(|entry| entry.direct == Directness::Yes).cloned().collect();
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
                "The project depends on {} versions of {}: add the version to the name.",
                all.len(),
                name.package
            ),
            found: Some(labels(all).join("\n")),
            near: labels(all),
            next: None,
        }),
    }
}

/// Creates the error for a package on which the project does not depend.
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
        let more = locked.read.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let mut read = locked.read.clone();
        read.truncate(NAMED);
        found.push(format!("Read: {}{more} ({count}).", read.join(", ")));
    }
    found.extend(locked.odd.iter().take(NAMED).map(|odd| format!("Could not parse: {odd}.")));
    if locked.odd.len() > NAMED {
        found.push(format!("Could not parse: {}.", counted((locked.odd.len() - NAMED) as u64, "more file")));
    }
    let next = match own {
        true => "Use the path of the package in the workspace.".to_owned(),
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

/// Creates the error for a dependency whose sources are not on this machine.
fn not_here(name: &Name, entry: &Entry, absent: MissingSource) -> ResolveError {
    let label = crate::project::label(name.ecosystem, &entry.name, &entry.version);
    let searched = absent.searched.join("\n");
    let mut next = format!("{}.", absent.next);
    // The first word is capitalized, unless it is a file name or a command.
    let is_word =
        next.split(' ').next().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_alphabetic()));
    if let Some(first) = next.get_mut(..1).filter(|_| is_word) {
        first.make_ascii_uppercase();
    }
    ResolveError {
        why: ResolveErrorKind::Absent,
        what: format!("The project depends on {label}, whose sources are not on this machine."),
        found: (!searched.is_empty()).then(|| format!("Searched:\n{searched}")),
        near: Vec::new(),
        next: Some(next),
    }
}

/// Resolves the path in a dependency name to a path in the package's sources.
fn below(
    workspace: &Workspace,
    found: &PackageSource,
    name: &Name,
    dependency: &str,
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
        // A package that is a single file shares its directory with other packages, so the only valid path in it is the
        // name of that file.
        let own = found.path.relative().to_str() == Some(name.below.as_str());
        let what = || {
            format!(
                "{dependency} leads out of the package, which consists of the single file {}.",
                found.path.display()
            )
        };
        return if own { Ok(found.path.clone()) } else { Err(outside(what())) };
    }
    workspace.resolve_external(&found.path, dependency, &name.below).map_err(|error| match error {
        PathError::Outside { target, .. } => {
            let by = target.map_or_else(String::new, |target| format!(": a link in it leads to {target}"));
            outside(format!("{dependency} leads out of the package{by}."))
        }
        other => outside(format!("{other}.")),
    })
}
