//! Opening of files that an earlier directory walk has found.

use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;

use super::entry::WalkOpenError;
use super::entry::{OpenedFile, below, open_below, open_regular};
use crate::openat::{has_openat2, open_handle};
use crate::path::WorkspacePath;

/// Opens files below a directory, without following links; fast if consecutive files are in the same
/// directory.
#[derive(Debug)]
pub struct Opener {
    base: WorkspacePath,
    last: Option<Last>,
}

/// The directory of the file that was opened last.
#[derive(Debug)]
struct Last {
    directory: Vec<u8>,
    /// Handle of the directory, which is opened for the second file in it, or for the first without `openat2`; `None`
    /// before. With `openat2`, the first file is opened by its whole path.
    handle: Option<OwnedFd>,
}

impl Opener {
    /// Creates an opener for files below a directory.
    #[must_use]
    pub fn new(base: WorkspacePath) -> Self {
        Self { base, last: None }
    }

    /// Opens a regular file by its path relative to the base directory.
    ///
    /// # Errors
    /// If the file is gone, is not a regular file, or cannot be read.
    pub fn open(&mut self, relative: &[u8]) -> Result<OpenedFile, WalkOpenError> {
        let (directory, name) = match relative.iter().rposition(|byte| *byte == b'/') {
            Some(end) => (&relative[..end], &relative[end + 1..]),
            None => (&relative[..0], relative),
        };
        if name.is_empty() || name == b"." || name == b".." {
            return Err(WalkOpenError::NotRegular);
        }
        let last = self.last.take().filter(|last| last.directory == directory);
        if last.is_none() && has_openat2() {
            self.last = Some(Last { directory: directory.to_vec(), handle: None });
            return open_below(&below(&self.base, relative));
        }
        let (directory, handle) = match last {
            Some(Last { directory, handle: Some(handle) }) => (directory, handle),
            _ => {
                let path = below(&self.base, directory);
                let handle = open_handle(path.root(), path.relative()).map_err(super::entry::fault)?;
                (directory.to_vec(), handle)
            }
        };
        let opened = open_regular(handle.as_fd(), OsStr::from_bytes(name));
        self.last = Some(Last { directory, handle: Some(handle) });
        opened
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests prepare their own files")]

    use super::*;
    use crate::{Options, Workspace};
    use std::io::Read;
    use toolpost_test_rows::each;

    #[test]
    fn opener_opens_nested_files_without_following_links() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        for name in ["one", "a/two", "a/b/three", "a/b/four"] {
            std::fs::write(root.join(name), name).unwrap();
        }
        std::os::unix::fs::symlink("b", root.join("a/link")).unwrap();
        std::os::unix::fs::symlink("two", root.join("a/file")).unwrap();
        let options = Options { roots: vec![root.clone()], ..Options::default() };
        let workspace = Workspace::open(options).unwrap().0;
        let mut opener = Opener::new(workspace.resolve(".").unwrap());
        each(["a/b/three", "a/b/four", "one", "a/two"], |name| {
            let mut text = String::new();
            opener.open(name.as_bytes()).unwrap().file.read_to_string(&mut text).unwrap();
            assert_eq!(text, name);
        });
        each(["a/link/three", "a/file", "a/none", "none/two", "a/b", "../root/one", "a/..", ""], |name| {
            assert!(opener.open(name.as_bytes()).is_err(), "{name:?}");
        });
        let mut opener = Opener::new(workspace.resolve("a").unwrap());
        assert!(opener.open(b"b/three").is_ok() && opener.open(b"two").is_ok());
    }
}
