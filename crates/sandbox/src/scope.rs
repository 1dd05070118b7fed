//! The access that a confined program has to a path, so that a reply can explain an error of the program.

use std::path::{Path, PathBuf};

use crate::enforcement::Means;
use crate::environment::Environment;
use crate::host::plain;
use crate::pins::{Pins, pins_of};
use crate::plan::{Access, Network, Plan};
use crate::system_paths::EMPTY;
use crate::view::{Content, View, VisiblePath, home, view};

/// Maximum number of symbolic links that are followed in one path.
const LINKS: usize = 16;

/// The kernel's file systems, which a program can read but not change.
const KERNEL: [&str; 2] = ["/proc", "/sys"];

/// The access that a confined program has to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathAccess {
    /// The program can change the path, if the permissions of the file allow it.
    Change,
    /// The path is in a private temporary directory that starts empty: the host's files are not there.
    Own,
    /// The path is in the home directory, which is private and empty except for toolchains and readable paths.
    Home,
    /// The path is a directory in which the program sees only the entries that lead to visible paths.
    Part,
    /// The program can read the path but not change it.
    Read,
    /// The path is in a root, and the sandbox plan allows only reading the roots.
    ReadRoot,
    /// The path is in a root and may not be changed, or it is a directory that contains such a path.
    Protected,
    /// The path is not visible to the program.
    Hidden,
}

/// The files and the network that a confined program can access.
#[derive(Debug, Clone)]
pub struct Scope {
    network: Network,
    access: Access,
    places: Vec<VisiblePath>,
    roots: Vec<PathBuf>,
    hidden: Vec<PathBuf>,
    protected: Vec<PathBuf>,
}

impl Scope {
    /// Derives the access from the visible paths and the protected paths. With Landlock only, there are no
    /// private empty directories: the host's directories are inaccessible, except for the temporary
    /// directory.
    pub(crate) fn new(
        view: &View,
        pins: &[Pins],
        (access, network): (Access, Network),
        means: Means,
        temporary: Option<PathBuf>,
    ) -> Self {
        let mut places = view.places.clone();
        if means == Means::Landlock {
            places.retain(|place| !matches!(place.shown, Content::Empty | Content::Other(_)));
            places.extend(temporary.map(|path| VisiblePath { path, shown: Content::Change }));
        }
        let of_root = |pins: &Pins| {
            let unchanged = pins.unchanged.iter().map(|path| pins.root.join(path));
            unchanged.collect::<Vec<_>>()
        };
        Self {
            network,
            access,
            places,
            roots: view.roots.clone(),
            hidden: view.hidden.clone(),
            protected: pins.iter().flat_map(of_root).collect(),
        }
    }

    /// Returns the program's access to the network.
    pub fn network(&self) -> Network {
        self.network
    }

    /// Returns the program's access to an absolute path. Uses only the text of the path and does not touch
    /// the file system, because the program may have chosen the path.
    pub fn of(&self, path: &Path) -> PathAccess {
        let path = self.without_links(&plain(path));
        if self.hidden.iter().any(|hidden| path.starts_with(hidden)) {
            return PathAccess::Hidden;
        }
        if self.roots.iter().any(|root| path.starts_with(root)) {
            let is_protected =
                |protected: &PathBuf| path.starts_with(protected) || is_above(&path, protected);
            let is_root = self.roots.contains(&path);
            return match self.access {
                _ if !is_root && self.protected.iter().any(is_protected) => PathAccess::Protected,
                Access::Change => PathAccess::Change,
                Access::Read => PathAccess::ReadRoot,
            };
        }
        let place = self.place(&path);
        match place.map(|place| &place.shown) {
            Some(Content::Change) => PathAccess::Change,
            Some(Content::Empty) if !place.is_some_and(is_temporary) => PathAccess::Home,
            Some(Content::Empty | Content::Other(_)) => PathAccess::Own,
            Some(Content::Read | Content::Link(_)) => PathAccess::Read,
            None if path.starts_with("/dev") => PathAccess::Change,
            None if KERNEL.iter().any(|kernel| path.starts_with(kernel)) => PathAccess::Read,
            None if self.places.iter().any(|place| place.path.starts_with(&path)) => PathAccess::Part,
            None => PathAccess::Hidden,
        }
    }

    fn place(&self, path: &Path) -> Option<&VisiblePath> {
        self.places.iter().rev().find(|place| path.starts_with(&place.path))
    }

    /// Resolves the symbolic links in a path that the sandbox shows.
    fn without_links(&self, path: &Path) -> PathBuf {
        let mut path = path.to_owned();
        for _ in 0..LINKS {
            let Some(VisiblePath { path: link, shown: Content::Link(target) }) = self.place(&path) else {
                break;
            };
            let rest = path.strip_prefix(link).unwrap_or(Path::new("")).to_owned();
            path = plain(&link.parent().unwrap_or(Path::new("/")).join(target).join(rest));
        }
        path
    }
}

/// The access that a program would have to a path if the path were added to the readable paths of its plan.
#[derive(Debug)]
pub struct Readability {
    view: View,
    scope: Scope,
    home: Option<PathBuf>,
}

impl Plan {
    /// Prepares [`Readability`]; `None` if no sandbox can be built from the plan. Reads directories, so it
    /// blocks.
    pub fn readability(&self, environment: &Environment) -> Option<Readability> {
        let view = view(self, environment).ok()?;
        let pins = match self.access {
            Access::Change => pins_of(&view, self).ok()?,
            Access::Read => Vec::new(),
        };
        let scope = Scope::new(&view, &pins, (self.access, self.network), Means::Namespaces, None);
        Some(Readability { view, scope, home: home(environment) })
    }
}

impl Readability {
    /// Returns the access that a program would have to an absolute path if the plan listed the path as
    /// readable.
    #[must_use]
    pub fn of(&self, path: &Path) -> PathAccess {
        match self.scope.of(path) {
            PathAccess::Hidden | PathAccess::Home | PathAccess::Part
                if self.view.can_show(path, self.home.as_deref()) =>
            {
                PathAccess::Read
            }
            access => access,
        }
    }
}

/// Returns whether an entry of the view is a temporary directory of the system.
fn is_temporary(place: &VisiblePath) -> bool {
    EMPTY.iter().any(|path| place.path == Path::new(path))
}

/// Returns whether `path` is a directory above `other`.
fn is_above(path: &Path, other: &Path) -> bool {
    other != path && other.starts_with(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use toolpost_test_rows::each;

    fn scope(access: Access, means: Means) -> Scope {
        let place = |path: &str, shown| VisiblePath { path: path.into(), shown };
        let view = View {
            places: vec![
                place("/usr", Content::Read),
                place("/lib", Content::Link("usr/lib".into())),
                place("/tmp", Content::Other("/state/tmp".into())),
                place("/home/u", Content::Empty),
                place("/home/u/.cargo/bin", Content::Read),
                place("/work/a", Content::Change),
                place("/alias", Content::Link("/work".into())),
            ],
            roots: vec!["/work/a".into()],
            hidden: vec!["/usr/secret".into()],
        };
        let pins = Pins {
            root: "/work/a".into(),
            mounts: Vec::new(),
            unchanged: BTreeSet::from([".git/hooks".into(), ".envrc".into()]),
            missing: Vec::new(),
            patterns: Vec::new(),
            open: Vec::new(),
        };
        Scope::new(&view, &[pins], (access, Network::Closed), means, Some("/state/tmp".into()))
    }

    #[test]
    fn path_access_follows_the_plan() {
        use PathAccess::{Change, Hidden, Home, Own, Part, Protected, Read};
        let rows = [
            ("/usr/bin/x", Read, Read),
            ("/usr/secret/x", Hidden, Hidden),
            ("/lib/x", Read, Read),
            ("/lib/../home/u/x", Home, Hidden),
            ("/tmp/x", Own, Hidden),
            ("/state/tmp/x", Hidden, Change),
            ("/home/u/.ssh/id", Home, Hidden),
            ("/home/u/.cargo/bin/x", Read, Read),
            ("/home", Part, Part),
            ("/home/v", Hidden, Hidden),
            ("/work/a", Change, Change),
            ("/work/a/x", Change, Change),
            ("/work/a/.git", Protected, Protected),
            ("/work/a/.git/hooks/x", Protected, Protected),
            ("/work/a/.git/index", Change, Change),
            ("/alias/a/.envrc", Protected, Protected),
            ("/work/b", Hidden, Hidden),
            ("/dev/null", Change, Change),
            ("/proc/sys/kernel/x", Read, Read),
            ("/", Part, Part),
            ("/work", Part, Part),
        ];
        each(rows, |(path, namespaces, landlock)| {
            let of = |means| scope(Access::Change, means).of(Path::new(path));
            assert_eq!((of(Means::Namespaces), of(Means::Landlock)), (namespaces, landlock), "{path}");
        });
        let read = scope(Access::Read, Means::Namespaces);
        assert_eq!(read.of(Path::new("/work/a/x")), PathAccess::ReadRoot);
    }
}
