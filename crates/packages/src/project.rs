//! Manifests and lock files of the project, and access to their content.

use crate::{archive::ArchiveCache, name::Ecosystem, stores::PackageStores};
use std::path::Path;
use toolpost_workspace::walk::{
    Candidate, Claim, Entry, Hidden, Kind, Next, Options, Prune, Rules, Visitor, found_below, walk,
};
use toolpost_workspace::{AllowedParent, ExternalRootError, Workspace, WorkspacePath};

/// Names of manifests and lock files.
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
/// Directories with fixtures of tests, which are not searched.
const MADE_UP: [&str; 8] =
    ["tests", "test", "testdata", "fixtures", "__fixtures__", "__tests__", "spec", "test-data"];
/// Maximum depth of a project below its root, and the maximum number of manifests.
const DEPTH: usize = 4;
const MOST: usize = 400;
/// Size limit of a lock file, in bytes.
const LARGEST: u64 = 32 << 20;

/// The manifests of the project, and the locations of its packages.
pub(crate) struct Project<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) stores: &'a PackageStores,
    pub(crate) unpacked: &'a ArchiveCache,
    /// Manifests and lock files, in order of depth.
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
            hidden: Hidden::Skip,
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

    /// Returns the manifests with one of the given names.
    pub(crate) fn named(&self, names: &[&str]) -> impl Iterator<Item = &WorkspacePath> {
        let is = move |path: &&WorkspacePath| {
            path.file_name().and_then(|name| name.to_str()).is_some_and(|name| names.contains(&name))
        };
        self.manifests.iter().filter(is)
    }

    /// Reads a file; `None` if it is missing or not UTF-8.
    pub(crate) fn text(&self, path: &WorkspacePath) -> Option<String> {
        let read = self.workspace.read(path, LARGEST).ok()?;
        String::from_utf8(read.bytes).ok()
    }

    /// Reads a file below a directory.
    pub(crate) fn text_in(&self, directory: &WorkspacePath, relative: &str) -> Option<String> {
        self.text(&found_below(directory, relative.as_bytes())?)
    }

    /// Returns the names in a directory; empty if it cannot be read.
    pub(crate) fn list(&self, directory: &WorkspacePath) -> Vec<String> {
        let entries = self.workspace.list(directory).unwrap_or_default();
        entries.into_iter().filter_map(|entry| entry.name.into_string().ok()).collect()
    }

    /// Returns whether `relative` is a directory below `directory`.
    pub(crate) fn is_directory(&self, directory: &WorkspacePath, relative: &str) -> bool {
        let stat = found_below(directory, relative.as_bytes()).map(|path| self.workspace.stat(&path));
        matches!(stat, Some(Ok(stat)) if stat.kind == toolpost_workspace::Kind::Directory)
    }

    /// Opens a directory as an external root.
    pub(crate) fn open(
        &self,
        directory: &Path,
        holders: &[AllowedParent],
        label: &str,
    ) -> Result<WorkspacePath, ExternalRootError> {
        self.workspace.open_external(directory, holders, label)
    }
}

/// Returns the label of a package, such as `rust:serde@1.0.228`.
pub(crate) fn label(ecosystem: Ecosystem, name: &str, version: &str) -> String {
    let version = if version.is_empty() { String::new() } else { format!("@{version}") };
    toolpost_text::escape::text(&format!("{}:{name}{version}", ecosystem.prefix())).into_owned()
}

/// Returns whether a text is a single, plain directory name.
pub(crate) fn is_plain(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\\', '\0'])
}

/// Collects manifests; a place is the depth of a directory.
struct ManifestVisitor(Vec<WorkspacePath>);

impl Visitor for ManifestVisitor {
    type Place = usize;

    fn judge(&mut self, depth: &usize, candidate: &Candidate<'_>) -> Claim {
        let name = candidate.name().to_str().unwrap_or_default();
        match candidate.kind() {
            Kind::Directory if *depth < DEPTH && !MADE_UP.contains(&name) => Claim::Wanted,
            // Lock files are often ignored by Git.
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

/// Returns whether the name is that of a requirements file of `pip`.
pub(crate) fn is_requirements(name: &str) -> bool {
    name.starts_with("requirements") && name.ends_with(".txt")
}
