//! What a lock file says that a project depends on.

use toolpost_workspace::WorkspacePath;

/// Whether a project names a package itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direct {
    /// It does.
    Yes,
    /// Another package that it depends on does.
    No,
}

/// A package that a project depends on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// Its version; empty if that stands only where the package lies.
    pub(crate) version: String,
    pub(crate) direct: Direct,
    /// What its ecosystem needs to find it: the directory that says that it is needed, or the one that describes it.
    pub(crate) at: Option<WorkspacePath>,
    /// Where the lock file says that it comes from; empty for the usual place.
    pub(crate) source: String,
}

/// All that a project depends on in one ecosystem.
#[derive(Debug, Clone, Default)]
pub(crate) struct Locked {
    pub(crate) entries: Vec<Entry>,
    /// The files that say so, as they are shown.
    pub(crate) read: Vec<String>,
    /// Files that should say so and cannot be understood, with why.
    pub(crate) odd: Vec<String>,
    /// Packages of the project itself.
    pub(crate) own: Vec<String>,
}

impl Locked {
    /// Adds a package; one that is known already can only become a direct one.
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

/// Why a package that is needed is not here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Absent {
    /// Where it was looked for.
    pub(crate) looked: Vec<String>,
    /// How it gets there.
    pub(crate) next: String,
}

/// Where a package lies.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    /// Its directory, or its only file.
    pub(crate) path: WorkspacePath,
    pub(crate) version: String,
}
