//! Dependencies as lock files and manifests list them.

use toolpost_workspace::WorkspacePath;

/// Relation of a dependency to the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direct {
    /// The project requires the package itself.
    Yes,
    /// Only another dependency requires it.
    No,
}

/// A dependency with its locked version.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// Version; empty if only the installed package states it.
    pub(crate) version: String,
    pub(crate) direct: Direct,
    /// Directory that the ecosystem's lookup starts from: of the manifest, or of the package's metadata.
    pub(crate) at: Option<WorkspacePath>,
    /// Source in the lock file; empty for the default registry.
    pub(crate) source: String,
}

/// All dependencies of one ecosystem.
#[derive(Debug, Clone, Default)]
pub(crate) struct DependencyList {
    pub(crate) entries: Vec<Entry>,
    /// Display paths of the files that were read.
    pub(crate) read: Vec<String>,
    /// Files that could not be parsed, with the reason.
    pub(crate) odd: Vec<String>,
    /// Names of the project's own packages.
    pub(crate) own: Vec<String>,
}

impl DependencyList {
    /// Adds a dependency. If it is present already, it may only change from transitive to direct, and gain a
    /// version.
    pub(crate) fn add(&mut self, entry: Entry) {
        let same = |known: &&mut Entry| {
            known.name == entry.name && (known.version == entry.version || known.version.is_empty())
        };
        match self.entries.iter_mut().find(same) {
            Some(known) => {
                known.direct = known.direct.min(entry.direct);
                if known.version.is_empty() {
                    known.version = entry.version;
                }
            }
            None => self.entries.push(entry),
        }
    }
}

/// Explanation for a dependency without sources on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MissingSource {
    /// Locations that were searched.
    pub(crate) looked: Vec<String>,
    /// Instruction for installing it.
    pub(crate) next: String,
}

/// Location of the sources of a package.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PackageSource {
    /// Its directory, or its only file.
    pub(crate) path: WorkspacePath,
    pub(crate) version: String,
}
