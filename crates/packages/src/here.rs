//! The project as its files tell of it: which manifests and lock files there are, and what stands in them.

use crate::{archive::Unpacked, name::Ecosystem, places::Places};
use std::path::Path;
use toolpost_workspace::walk::{
    Candidate, Claim, Entry, Hidden, Kind, Next, Options, Prune, Rules, Visitor, found_below, walk,
};
use toolpost_workspace::{AsideError, Holder, Workspace, WorkspacePath};

/// The names of files that say what a project depends on.
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
/// Directories whose projects are made up for tests.
const MADE_UP: [&str; 8] =
    ["tests", "test", "testdata", "fixtures", "__fixtures__", "__tests__", "spec", "test-data"];
/// How deep below a root a project may lie, and how many files are looked at.
const DEPTH: usize = 4;
const MOST: usize = 400;
/// The largest lock file that is read, in bytes.
const LARGEST: u64 = 32 << 20;

/// The project, and where its packages may lie.
pub(crate) struct Here<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) places: &'a Places,
    pub(crate) unpacked: &'a Unpacked,
    /// The files that say what it depends on, those nearest to a root first.
    pub(crate) manifests: Vec<WorkspacePath>,
}

impl<'a> Here<'a> {
    /// Looks around in the workspace.
    pub(crate) fn look(workspace: &'a Workspace, places: &'a Places, unpacked: &'a Unpacked) -> Self {
        let mut manifests: Vec<WorkspacePath> = Vec::new();
        let options = Options {
            rules: Rules::Git,
            hidden: Hidden::Skip,
            prune: Prune::Dependencies,
            ..Options::default()
        };
        for holder in workspace.holders() {
            let Some(base) = holder.path().to_str().and_then(|path| workspace.resolve(path).ok()) else {
                continue;
            };
            let walked = walk(&base, 1, &options, &|| false, &|| Looker(Vec::new()));
            manifests
                .extend(walked.into_iter().flat_map(|walked| walked.visitors).flat_map(|looker| looker.0));
        }
        manifests.sort_by_cached_key(|path| (path.relative().components().count(), path.clone()));
        manifests.truncate(MOST);
        Self { workspace, places, unpacked, manifests }
    }

    /// Lists the manifests that have one of some names.
    pub(crate) fn named(&self, names: &[&str]) -> impl Iterator<Item = &WorkspacePath> {
        let is = move |path: &&WorkspacePath| {
            path.file_name().and_then(|name| name.to_str()).is_some_and(|name| names.contains(&name))
        };
        self.manifests.iter().filter(is)
    }

    /// Reads a text; none if it is not there or is none.
    pub(crate) fn text(&self, path: &WorkspacePath) -> Option<String> {
        let read = self.workspace.read(path, LARGEST).ok()?;
        String::from_utf8(read.bytes).ok()
    }

    /// Reads a text that lies below a directory.
    pub(crate) fn text_in(&self, directory: &WorkspacePath, relative: &str) -> Option<String> {
        self.text(&found_below(directory, relative.as_bytes())?)
    }

    /// Lists the names of all that lies in a directory.
    pub(crate) fn list(&self, directory: &WorkspacePath) -> Vec<String> {
        let entries = self.workspace.list(directory).unwrap_or_default();
        entries.into_iter().filter_map(|entry| entry.name.into_string().ok()).collect()
    }

    /// Tells whether a directory lies below another.
    pub(crate) fn is_directory(&self, directory: &WorkspacePath, relative: &str) -> bool {
        let stat = found_below(directory, relative.as_bytes()).map(|path| self.workspace.stat(&path));
        matches!(stat, Some(Ok(stat)) if stat.kind == toolpost_workspace::Kind::Directory)
    }

    /// Opens a directory to be read under a label.
    pub(crate) fn open(
        &self,
        directory: &Path,
        holders: &[Holder],
        label: &str,
    ) -> Result<WorkspacePath, AsideError> {
        self.workspace.aside(directory, holders, label)
    }
}

/// Makes the label of a package.
pub(crate) fn label(ecosystem: Ecosystem, name: &str, version: &str) -> String {
    let version = if version.is_empty() { String::new() } else { format!("@{version}") };
    toolpost_text::escape::text(&format!("{}:{name}{version}", ecosystem.prefix())).into_owned()
}

/// Tells whether a text can be the name of one directory.
pub(crate) fn is_plain(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\\', '\0'])
}

/// Looks for manifests; a place is how deep it lies.
struct Looker(Vec<WorkspacePath>);

impl Visitor for Looker {
    type Place = usize;

    fn judge(&mut self, depth: &usize, candidate: &Candidate<'_>) -> Claim {
        let name = candidate.name().to_str().unwrap_or_default();
        match candidate.kind() {
            Kind::Directory if *depth < DEPTH && !MADE_UP.contains(&name) => Claim::Wanted,
            // A lock file is often left out of a repository.
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

/// Tells whether a file lists what `pip` installs.
pub(crate) fn is_requirements(name: &str) -> bool {
    name.starts_with("requirements") && name.ends_with(".txt")
}
