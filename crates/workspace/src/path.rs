//! Paths that are confined to a root (a directory that calls may use).

use std::cmp::Ordering;
use std::ffi::OsStr;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::root::Root;

/// A path inside a root, with links resolved; the last component may be a link that was not followed. Only this crate
/// can create one.
///
/// The path need not exist. Two values are equal if their absolute paths are equal.
#[derive(Clone)]
pub struct WorkspacePath(Arc<PathData>);

struct PathData {
    root: Root,
    absolute: PathBuf,
    relative_from: usize,
}

impl WorkspacePath {
    /// Returns the display form: relative to the first root (`.` for the root itself), absolute in other
    /// roots, with dangerous characters escaped. A path in an external root starts with the root's label.
    ///
    /// The display form of a path in a root resolves to the same path again.
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

    /// Returns the absolute path, escaped as in [`WorkspacePath::display`].
    pub fn absolute(&self) -> String {
        toolpost_text::escape::name(self.0.absolute.as_os_str().as_bytes()).into_owned()
    }

    /// Returns the raw absolute path, for arguments of programs. Do not open files by this path, because a
    /// component may have been replaced by a link.
    pub fn raw(&self) -> &Path {
        &self.0.absolute
    }

    /// Returns the raw path below the root; empty for the root itself.
    pub fn relative(&self) -> &Path {
        let bytes = self.0.absolute.as_os_str().as_bytes();
        Path::new(OsStr::from_bytes(bytes.get(self.0.relative_from..).unwrap_or_default()))
    }

    /// Returns the last component of the path; `None` for a root.
    pub fn file_name(&self) -> Option<&OsStr> {
        self.relative().file_name()
    }

    /// Returns the extension of the last component, without the dot; `None` if it has none.
    pub fn extension(&self) -> Option<&OsStr> {
        self.relative().extension()
    }

    /// Returns whether the path is a root itself.
    pub fn is_root(&self) -> bool {
        self.relative().as_os_str().is_empty()
    }

    /// Returns the root that contains the path.
    pub fn root(&self) -> &Root {
        &self.0.root
    }

    /// Returns the parent directory; `None` for a root.
    pub fn parent(&self) -> Option<Self> {
        let parent = self.relative().parent()?;
        Some(Self::beneath(&self.0.root, parent))
    }

    /// Returns whether the path `other` is this path or below it.
    pub fn contains(&self, other: &Self) -> bool {
        other.0.absolute.starts_with(&self.0.absolute)
    }

    /// Creates a path below a root; `relative` must consist of normal components.
    pub(crate) fn beneath(root: &Root, relative: &Path) -> Self {
        let mut relative_from = root.path().as_os_str().as_bytes().len();
        if root.path() != Path::new("/") {
            relative_from += 1;
        }
        // The exact capacity saves memory, because a workspace has many paths.
        let mut path = PathBuf::with_capacity(relative_from + relative.as_os_str().len());
        path.push(root.path());
        if !relative.as_os_str().is_empty() {
            path.push(relative);
        }
        Self(Arc::new(PathData { root: root.clone(), absolute: path, relative_from }))
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
