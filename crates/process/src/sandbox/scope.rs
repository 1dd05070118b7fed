//! Access that a confined program has to a path, so that a reply can explain an error of the program.

use std::path::{Path, PathBuf};

use crate::sandbox::enforcement::Means;
use crate::sandbox::host::plain;
use crate::sandbox::pins::Pins;
use crate::sandbox::plan::{Access, Network};
use crate::sandbox::view::{Content, Place, View};

/// Maximum number of links that are followed in one path.
const LINKS: usize = 16;

/// The kernel's file systems, which a program reads and does not change.
const KERNEL: [&str; 2] = ["/proc", "/sys"];

/// Access of a program to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathAccess {
    /// It can change the path, as far as the permissions of the file allow.
    Change,
    /// The path is in a private directory that begins empty: the host's files are not there.
    Own,
    /// It can read the path and not change it.
    Read,
    /// The path is in a root, and the plan lets the program only read the roots.
    ReadRoot,
    /// The path is in a root and protected, or a protected path is below it.
    Protected,
    /// The path is not visible.
    Hidden,
}

/// The files and the network that a confined program reaches.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    network: Network,
    access: Access,
    places: Vec<Place>,
    roots: Vec<PathBuf>,
    hidden: Vec<PathBuf>,
    protected: Vec<PathBuf>,
}

impl Scope {
    /// Derives the scope from a view and the protected paths of its roots. With Landlock alone, directories that would be empty are
    /// the host's and not accessible, except for the temporary directory.
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
            places.extend(temporary.map(|path| Place { path, shown: Content::Change }));
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

    /// Returns the network access.
    pub(crate) fn network(&self) -> Network {
        self.network
    }

    /// Returns the access to an absolute path. Looks at the words of the path only, since the program may have chosen it.
    pub(crate) fn of(&self, path: &Path) -> PathAccess {
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
        match self.place(&path).map(|place| &place.shown) {
            Some(Content::Change) => PathAccess::Change,
            Some(Content::Empty | Content::Other(_)) => PathAccess::Own,
            Some(Content::Read | Content::Link(_)) => PathAccess::Read,
            None if path.starts_with("/dev") => PathAccess::Change,
            None if KERNEL.iter().any(|kernel| path.starts_with(kernel)) => PathAccess::Read,
            // Directories on the way to a visible path.
            None if self.places.iter().any(|place| place.path.starts_with(&path)) => PathAccess::Read,
            None => PathAccess::Hidden,
        }
    }

    fn place(&self, path: &Path) -> Option<&Place> {
        self.places.iter().rev().find(|place| path.starts_with(&place.path))
    }

    /// Replaces the visible links in a path by their targets.
    fn without_links(&self, path: &Path) -> PathBuf {
        let mut path = path.to_owned();
        for _ in 0..LINKS {
            let Some(Place { path: link, shown: Content::Link(target) }) = self.place(&path) else { break };
            let rest = path.strip_prefix(link).unwrap_or(Path::new("")).to_owned();
            path = plain(&link.parent().unwrap_or(Path::new("/")).join(target).join(rest));
        }
        path
    }
}

/// Returns whether a path is a directory above another one.
fn is_above(path: &Path, other: &Path) -> bool {
    other != path && other.starts_with(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn scope(access: Access, means: Means) -> Scope {
        let place = |path: &str, shown| Place { path: path.into(), shown };
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
            open: Vec::new(),
        };
        Scope::new(&view, &[pins], (access, Network::Closed), means, Some("/state/tmp".into()))
    }

    #[test]
    fn a_path_has_the_access_of_its_place() {
        use PathAccess::{Change, Hidden, Own, Protected, Read};
        let rows = [
            ("/usr/bin/x", Read, Read),
            ("/usr/secret/x", Hidden, Hidden),
            ("/lib/x", Read, Read),
            ("/lib/../home/u/x", Own, Hidden),
            ("/tmp/x", Own, Hidden),
            ("/state/tmp/x", Hidden, Change),
            ("/home/u/.ssh/id", Own, Hidden),
            ("/home/u/.cargo/bin/x", Read, Read),
            ("/home", Read, Read),
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
            ("/", Read, Read),
            ("/work", Read, Read),
        ];
        for (path, namespaces, landlock) in rows {
            let of = |means| scope(Access::Change, means).of(Path::new(path));
            assert_eq!((of(Means::Namespaces), of(Means::Landlock)), (namespaces, landlock), "{path}");
        }
        let read = scope(Access::Read, Means::Namespaces);
        assert_eq!(read.of(Path::new("/work/a/x")), PathAccess::ReadRoot);
    }
}
