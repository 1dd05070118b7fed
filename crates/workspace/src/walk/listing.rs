//! Directory listings that need little memory.

use std::os::fd::BorrowedFd;

use rustix::fs::FileType;
use rustix::io::Errno;

use crate::access::Kind;

/// The names of the entries of a directory, packed into one buffer.
#[derive(Default)]
pub(super) struct Listing {
    bytes: Vec<u8>,
    items: Vec<Item>,
    pub(super) marks: MarkerSet,
}

struct Item {
    start: u32,
    length: u16,
    kind: Option<Kind>,
}

/// Set of the marker files and directories in a listing, such as `.git` or `Cargo.toml`.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct MarkerSet(u16);

impl MarkerSet {
    pub(super) const GIT_IGNORE: Self = Self(1);
    pub(super) const IGNORE: Self = Self(2);
    pub(super) const RIPGREP_IGNORE: Self = Self(4);
    pub(super) const REPOSITORY: Self = Self(8);
    pub(super) const CACHE: Self = Self(16);
    pub(super) const PYTHON_ENVIRONMENT: Self = Self(32);
    pub(super) const VENDORED: Self = Self(64);
    pub(super) const CARGO: Self = Self(128);
    pub(super) const ANY_RULES: Self = Self(1 | 2 | 4 | 8);

    /// Returns whether any of the markers in `mark` is set.
    pub(super) fn has(self, mark: Self) -> bool {
        self.0 & mark.0 != 0
    }

    pub(super) fn of(name: &[u8]) -> Self {
        match name {
            b".gitignore" => Self::GIT_IGNORE,
            b".ignore" => Self::IGNORE,
            b".rgignore" => Self::RIPGREP_IGNORE,
            b".git" | b".jj" => Self::REPOSITORY,
            b"CACHEDIR.TAG" => Self::CACHE,
            b"pyvenv.cfg" => Self::PYTHON_ENVIRONMENT,
            b"modules.txt" | b"autoload.php" | b"bundle" => Self::VENDORED,
            b"Cargo.toml" => Self::CARGO,
            _ => Self(0),
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl Listing {
    /// Reads all names in a directory; `buffer` is reused between calls.
    pub(super) fn read(directory: BorrowedFd<'_>, buffer: &mut Vec<u8>) -> Result<Self, Errno> {
        let mut listing = Self::default();
        raw::read(directory, buffer, |name, kind| listing.push(name, kind))?;
        Ok(listing)
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns the name at an index, with its file type if known.
    pub(super) fn get(&self, index: usize) -> Option<(&[u8], Option<Kind>)> {
        let item = self.items.get(index)?;
        let start = item.start as usize;
        Some((self.bytes.get(start..start + usize::from(item.length))?, item.kind))
    }

    fn push(&mut self, name: &[u8], kind: Option<Kind>) {
        if name == b"." || name == b".." {
            return;
        }
        let (Ok(start), Ok(length)) = (u32::try_from(self.bytes.len()), u16::try_from(name.len())) else {
            return;
        };
        if matches!(name.first(), Some(b'.' | b'C' | b'p' | b'm' | b'a' | b'b')) {
            self.marks.add(MarkerSet::of(name));
        }
        self.bytes.extend_from_slice(name);
        self.items.push(Item { start, length, kind });
    }
}

/// Converts a file type from the directory listing; `None` if it is unknown.
fn kind_of(kind: FileType) -> Option<Kind> {
    Some(Kind::of(kind)).filter(|kind| *kind != Kind::Other)
}

#[cfg(target_os = "linux")]
mod raw {
    //! Listing by the system call `getdents` with a large buffer.

    use std::os::fd::BorrowedFd;

    use rustix::fs::RawDir;
    use rustix::io::Errno;

    use crate::access::Kind;
    use crate::walk::listing::kind_of;

    const BUFFER: usize = 64 * 1024;

    pub(super) fn read(
        directory: BorrowedFd<'_>,
        buffer: &mut Vec<u8>,
        mut push: impl FnMut(&[u8], Option<Kind>),
    ) -> Result<(), Errno> {
        buffer.clear();
        buffer.reserve(BUFFER);
        let mut entries = RawDir::new(directory, buffer.spare_capacity_mut());
        while let Some(entry) = entries.next() {
            match entry {
                Ok(entry) => push(entry.file_name().to_bytes(), kind_of(entry.file_type())),
                // The directory was removed during the listing. The entries read so far are kept.
                Err(Errno::NOENT) => return Ok(()),
                Err(errno) => return Err(errno),
            }
        }
        Ok(())
    }
}

#[cfg(not(target_os = "linux"))]
mod raw {
    //! Listing without `getdents`, for systems other than Linux.

    use std::os::fd::BorrowedFd;

    use rustix::fs::Dir;
    use rustix::io::Errno;

    use crate::access::Kind;
    use crate::walk::listing::kind_of;

    pub(super) fn read(
        directory: BorrowedFd<'_>,
        _: &mut Vec<u8>,
        mut push: impl FnMut(&[u8], Option<Kind>),
    ) -> Result<(), Errno> {
        for entry in Dir::read_from(directory)? {
            let entry = entry?;
            push(entry.file_name().to_bytes(), kind_of(entry.file_type()));
        }
        Ok(())
    }
}
