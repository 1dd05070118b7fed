//! A path that is known to lie inside a root.

use std::cmp::Ordering;
use std::ffi::OsStr;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::root::Root;

/// A place inside a root, with every link on the way resolved; only this crate can make one.
///
/// It says where, not that something is there. Two are equal if they name the same place.
#[derive(Clone)]
pub struct WorkspacePath(Arc<Place>);

struct Place {
    root: Root,
    absolute: PathBuf,
    relative_from: usize,
}

impl WorkspacePath {
    /// Returns the path as it is shown: relative to the first root (`.` is the root itself), absolute in a further
    /// root, with `/` between names and everything dangerous escaped. Aside of the roots it begins with the label of what is open
    /// there.
    ///
    /// What is shown of a root resolves to the same place again.
    pub fn display(&self) -> String {
        if let Some(label) = self.0.root.label() {
            let below = toolpost_text::escape::name(self.relative().as_os_str().as_bytes());
            return if self.is_root() { label.to_owned() } else { format!("{label}/{below}") };
        }
        if self.0.root.position() > 0 {
            return self.absolute();
        }
        if self.is_root() {
            ".".to_owned()
        } else {
            toolpost_text::escape::name(self.relative().as_os_str().as_bytes()).into_owned()
        }
    }

    /// Returns the absolute path, escaped like [`WorkspacePath::display`].
    pub fn absolute(&self) -> String {
        toolpost_text::escape::name(self.0.absolute.as_os_str().as_bytes()).into_owned()
    }

    /// Returns the raw absolute path, for programs that are started with it; never open it by name.
    pub fn raw(&self) -> &Path {
        &self.0.absolute
    }

    /// Returns the raw path below the root; empty for the root itself.
    pub fn relative(&self) -> &Path {
        let bytes = self.0.absolute.as_os_str().as_bytes();
        Path::new(OsStr::from_bytes(bytes.get(self.0.relative_from..).unwrap_or_default()))
    }

    /// Returns the last name; `None` for a root.
    pub fn file_name(&self) -> Option<&OsStr> {
        self.relative().file_name()
    }

    /// Returns what follows the last dot of the last name.
    pub fn extension(&self) -> Option<&OsStr> {
        self.relative().extension()
    }

    /// Says whether this is a root itself.
    pub fn is_root(&self) -> bool {
        self.relative().as_os_str().is_empty()
    }

    /// Returns the root that the path lies in.
    pub fn root(&self) -> &Root {
        &self.0.root
    }

    /// Returns the directory that holds it; `None` for a root.
    pub fn parent(&self) -> Option<Self> {
        let parent = self.relative().parent()?;
        Some(Self::beneath(&self.0.root, parent))
    }

    /// Says whether the other path is this one or lies below it.
    pub fn contains(&self, other: &Self) -> bool {
        other.0.absolute.starts_with(&self.0.absolute)
    }

    /// Makes the path of something found below a root; `relative` is normal components only.
    pub(crate) fn beneath(root: &Root, relative: &Path) -> Self {
        let mut relative_from = root.path().as_os_str().as_bytes().len();
        if root.path() != Path::new("/") {
            relative_from += 1;
        }
        // Of the length that it will have: a workspace has many of them.
        let mut path = PathBuf::with_capacity(relative_from + relative.as_os_str().len());
        path.push(root.path());
        if !relative.as_os_str().is_empty() {
            path.push(relative);
        }
        Self(Arc::new(Place { root: root.clone(), absolute: path, relative_from }))
    }
}

impl PartialEq for WorkspacePath {
    fn eq(&self, other: &Self) -> bool {
        self.0.absolute.as_os_str() == other.0.absolute.as_os_str()
    }
}

impl Eq for WorkspacePath {}

impl PartialOrd for WorkspacePath {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for WorkspacePath {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.absolute.cmp(&other.0.absolute)
    }
}

impl Hash for WorkspacePath {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.absolute.as_os_str().hash(state);
    }
}

impl fmt::Display for WorkspacePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.display())
    }
}

impl fmt::Debug for WorkspacePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "WorkspacePath({})", self.absolute())
    }
}
