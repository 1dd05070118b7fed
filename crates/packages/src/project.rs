//! The manifests and lock files of a project, and access to their content and to packages.

use crate::{archive::ArchiveCache, name::Ecosystem, stores::PackageStores};
use std::path::Path;
use toolpost_workspace::walk::{
    Candidate, Claim, Entry, HiddenFiles, Kind, Next, Options, Prune, Rules, Visitor, found_below, walk,
};
use toolpost_workspace::{AllowedParent, ExternalRootError, Workspace, WorkspacePath};

/// File names of manifests and lock files.
const MANIFESTS: [&str; 14] = [
    "Cargo.lock",
    "Cargo.toml",
    "package.json",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "pyproject.toml",
    "uv.lock",
    "poetry.lock",
    "go.mod",
    "pom.xml",
    "gradle.lockfile",
    "Pipfile.lock",
];
/// Names of directories with test fixtures, in which manifests are ignored.
const MADE_UP: [&str; 8] =
    ["tests", "test", "testdata", "fixtures", "__fixtures__", "__tests__", "spec", "test-data"];
/// Maximum depth below a root at which manifests and lock files are found.
const DEPTH: usize = 4;
/// Maximum number of manifests and lock files that are read.
const MOST: usize = 400;
/// Maximum size of a manifest or lock file, in bytes.
const LARGEST: u64 = 32 << 20;

/// The manifests and lock files of a workspace, and access to its packages.
pub(crate) struct Project<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) stores: &'a PackageStores,
    pub(crate) unpacked: &'a ArchiveCache,
    /// Manifests and lock files, the least deep first.
    pub(crate) manifests: Vec<WorkspacePath>,
}

impl<'a> Project<'a> {
    /// Finds the manifests and lock files of the workspace.
    pub(crate) fn scan(
        workspace: &'a Workspace,
        stores: &'a PackageStores,
        unpacked: &'a ArchiveCache,
    ) -> Self {
        let mut manifests: Vec<WorkspacePath> = Vec::new();
        let options = Options {
            rules: Rules::Git,
            hidden: HiddenFiles::Skip,
            prune: Prune::Dependencies,
            ..Options::default()
        };
        for holder in workspace.allowed_parents() {
            let Some(base) = holder.path().to_str().and_then(|path| workspace.resolve(path).ok()) else {
                continue;
            };
            let walked = walk(&base, 1, &options, &|| false, &|| ManifestVisitor(Vec::new()));
            manifests
                .extend(walked.into_iter().flat_map(|walked| walked.visitors).flat_map(|looker| looker.0));
        }
        manifests.sort_by_cached_key(|path| (path.relative().components().count(), path.clone()));
        manifests.truncate(MOST);
        Self { workspace, stores, unpacked, manifests }
    }

    /// Returns the manifests and lock files that have one of the given file names.
    pub(crate) fn named(&self, names: &[&str]) -> impl Iterator<Item = &WorkspacePath> {
        let is = move |path: &&WorkspacePath| {
            path.file_name().and_then(|name| name.to_str()).is_some_and(|name| names.contains(&name))
        };
        self.manifests.iter().filter(is)
    }

    /// Reads a file as text.
    ///
    /// # Errors
    /// If it is missing, unreadable, too large or not UTF-8. The error is the reason, as a clause.
    pub(crate) fn text(&self, path: &WorkspacePath) -> Result<String, String> {
        let read = self.workspace.read(path, LARGEST).map_err(|_| "the file cannot be read".to_owned())?;
        String::from_utf8(read.bytes).map_err(|_| "the file is not UTF-8".to_owned())
    }

    /// Reads the file at a relative path below a directory as text; `None` if that is not possible.
    pub(crate) fn text_in(&self, directory: &WorkspacePath, relative: &str) -> Option<String> {
        self.text(&found_below(directory, relative.as_bytes())?).ok()
    }

    /// Returns the names of the entries of a directory; none if it cannot be read.
    pub(crate) fn list(&self, directory: &WorkspacePath) -> Vec<String> {
        let entries = self.workspace.list(directory).unwrap_or_default();
        entries.into_iter().filter_map(|entry| entry.name.into_string().ok()).collect()
    }

    /// Returns whether `relative` is a directory below `directory`.
    pub(crate) fn is_directory(&self, directory: &WorkspacePath, relative: &str) -> bool {
        let stat = found_below(directory, relative.as_bytes()).map(|path| self.workspace.stat(&path));
        matches!(stat, Some(Ok(stat)) if stat.kind == Kind::Directory)
    }

    /// Returns the displayed form of a path: relative if it is below a root.
    pub(crate) fn shown(&self, path: &Path) -> String {
        let mut roots = self.workspace.roots().iter();
        let below = roots.find_map(|root| path.strip_prefix(root.path()).ok());
        toolpost_text::escape::text(&below.unwrap_or(path).to_string_lossy()).into_owned()
    }

    /// Opens a directory with packages as an external root (a read-only directory outside the workspace).
    pub(crate) fn open(
        &self,
        directory: &Path,
        holders: &[AllowedParent],
        label: &str,
    ) -> Result<WorkspacePath, ExternalRootError> {
        self.workspace.open_external(directory, holders, label)
    }
}

/// Returns the displayed name of a package with its version, such as `rust:serde@1.0.228`.
pub(crate) fn label(ecosystem: Ecosystem, name: &str, version: &str) -> String {
    let version = if version.is_empty() { String::new() } else { format!("@{version}") };
    toolpost_text::escape::text(&format!("{}:{name}{version}", ecosystem.prefix())).into_owned()
}

/// Returns whether a text is the name of a single directory, without `/`, `\` or `..`.
pub(crate) fn is_plain(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\\', '\0'])
}

/// Collects the manifests and lock files during a directory walk. The state of the walk is the depth of the directory.
struct ManifestVisitor(Vec<WorkspacePath>);

impl Visitor for ManifestVisitor {
    type Place = usize;

    fn judge(&mut self, depth: &usize, candidate: &Candidate<'_>) -> Claim {
        let name = candidate.name().to_str().unwrap_or_default();
        match candidate.kind() {
            Kind::Directory if *depth < DEPTH && !MADE_UP.contains(&name) => Claim::Wanted,
            // `Named` includes files that ignore rules exclude, because Git often ignores lock files.
            Kind::File if MANIFESTS.contains(&name) || is_requirements(name) => Claim::Named,
            _ => Claim::Pass,
        }
    }

    fn visit(&mut self, depth: &usize, entry: &Entry<'_>) -> Next<usize> {
        if entry.candidate().kind() == Kind::Directory {
            return Next::Enter(depth + 1);
        }
        self.0.push(entry.path());
        Next::On
    }
}

/// Returns whether a file name is that of a requirements file of `pip`.
pub(crate) fn is_requirements(name: &str) -> bool {
    name.starts_with("requirements") && name.ends_with(".txt")
}
