//! Dependencies of a project, as its lock files and manifests list them.

use toolpost_workspace::WorkspacePath;

/// The relation of a dependency to the project: direct or transitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Directness {
    /// The project itself requires the package.
    Yes,
    /// Only another dependency of the project requires the package.
    No,
}

/// The source of a dependency's version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum VersionSource {
    /// A lock file, or a manifest with exact versions such as `go.mod`, by its displayed path.
    File(String),
    /// The installed package itself, in the directory with this displayed path, if no lock file states the version.
    Installed(String),
    /// Only a manifest names the package, and the package is not installed.
    Unknown,
}

/// A dependency in a lock file or manifest, with its version.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// Version of the package; empty if it is unknown.
    pub(crate) version: String,
    pub(crate) version_source: VersionSource,
    pub(crate) direct: Directness,
    /// Directory at which the search for the sources starts: that of the manifest or of the installed package's
    /// metadata.
    pub(crate) at: Option<WorkspacePath>,
    /// Location of the package, depending on the ecosystem: the source in `Cargo.lock`, the directory in an npm lock file,
    /// the name of the `.dist-info` directory, or the replacement of a Go module; otherwise empty.
    pub(crate) source: String,
}

/// All dependencies of a project in one ecosystem, such as Rust.
#[derive(Debug, Clone, Default)]
pub(crate) struct DependencyList {
    pub(crate) entries: Vec<Entry>,
    /// Displayed paths of the lock files and manifests that were read.
    pub(crate) read: Vec<String>,
    /// Lock files and manifests that could not be parsed, as `path: reason`.
    pub(crate) odd: Vec<String>,
    /// Names of the packages that the project itself consists of.
    pub(crate) own: Vec<String>,
}

impl DependencyList {
    /// Adds a dependency. An entry that is already in the list becomes direct if the new one is, and gets its version
    /// if it had none. A file that states the installed version becomes its source.
    pub(crate) fn add(&mut self, entry: Entry) {
        let same = |known: &&mut Entry| {
            known.name == entry.name && (known.version == entry.version || known.version.is_empty())
        };
        match self.entries.iter_mut().find(same) {
            Some(known) => {
                known.direct = known.direct.min(entry.direct);
                if known.version.is_empty() {
                    known.version = entry.version;
                    known.version_source = entry.version_source;
                } else if matches!(entry.version_source, VersionSource::File(_)) {
                    known.version_source = known.version_source.clone().min(entry.version_source);
                }
            }
            None => self.entries.push(entry),
        }
    }
}

/// The locations that were searched in vain for the sources of a dependency, and advice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MissingSource {
    /// Paths that were searched for the sources.
    pub(crate) searched: Vec<String>,
    /// Instruction for installing the package, as a clause without a period.
    pub(crate) next: String,
}

/// Location and version of a package's sources on this machine.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PackageSource {
    /// The package's directory, or its only file.
    pub(crate) path: WorkspacePath,
    pub(crate) version: String,
}
