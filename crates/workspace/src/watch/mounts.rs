//! Mounts below the roots: detection of mounts that change, and of network file systems.

use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};

use crate::path::WorkspacePath;
use crate::root::Root;

/// Types of network file systems, in which changes by other machines cause no events on this machine. FUSE file systems
/// (`fuse.*`) count as network file systems too.
const ELSEWHERE: [&str; 12] = [
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "9p",
    "afs",
    "ceph",
    "glusterfs",
    "lustre",
    "virtiofs",
    "vboxsf",
];

/// The mount table of the system, held open to be notified of changes. `list` is `None` if the table cannot
/// be opened, for example because the system has none.
#[derive(Debug)]
pub(super) struct Mounts {
    list: Option<File>,
    /// Lines of the mount table that describe mounts below the roots.
    inner: Vec<Vec<u8>>,
}

impl Mounts {
    /// Opens the mount table of the system, and reads the mounts below the roots.
    pub(super) fn read(roots: &[Root]) -> Self {
        let opened = open("/proc/self/mountinfo", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty());
        let mut mounts = Self { list: opened.ok().map(File::from), inner: Vec::new() };
        mounts.inner = mounts.below(roots);
        mounts
    }

    /// Returns whether mounts below the roots may have been added or removed since the last call.
    pub(super) fn changed(&mut self, roots: &[Root]) -> bool {
        let Some(list) = &self.list else { return false };
        let mut poll_fds = [PollFd::new(list, PollFlags::PRI)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        if !poll(&mut poll_fds, Some(&now)).is_ok_and(|told| told > 0) {
            return false;
        }
        let inner = self.below(roots);
        // The lines are not compared, because a mount that was removed and added again may have the same
        // line.
        let changed = !inner.is_empty() || !self.inner.is_empty();
        self.inner = inner;
        changed
    }

    /// Finds a root, or a mount below one, on a network or FUSE file system; returns its path and the file system type.
    /// `None` if there is none.
    pub(super) fn elsewhere(&self, roots: &[Root]) -> Option<(String, String)> {
        let text = self.text();
        let mounts: Vec<Mount> = lines(&text).filter_map(mount).collect();
        roots.iter().find_map(|root| below(root.path(), &mounts).map(|(at, kind)| (shown(root, &at), kind)))
    }

    /// Returns the lines of the mount table that describe mounts below the roots.
    fn below(&self, roots: &[Root]) -> Vec<Vec<u8>> {
        let text = self.text();
        let is_below = |line: &&[u8]| {
            mount(line).is_some_and(|mount| roots.iter().any(|root| is_below(&mount, root.path())))
        };
        lines(&text).filter(is_below).map(<[u8]>::to_vec).collect()
    }

    fn text(&self) -> Vec<u8> {
        let mut text = Vec::new();
        if let Some(mut list) = self.list.as_ref() {
            let read = list.rewind().and_then(|()| list.read_to_end(&mut text));
            drop(read);
        }
        text
    }
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n')
}

fn path(mount: &Mount) -> &Path {
    Path::new(std::ffi::OsStr::from_bytes(&mount.at))
}

fn is_below(mount: &Mount, directory: &Path) -> bool {
    path(mount) != directory && path(mount).starts_with(directory)
}

/// A mount point with its file system type.
struct Mount {
    at: Vec<u8>,
    kind: String,
}

/// Returns the mount point and the type of the first network or FUSE file system among the mount that contains the
/// directory and the mounts below the directory.
fn below(directory: &Path, mounts: &[Mount]) -> Option<(Vec<u8>, String)> {
    // Of several mounts at one location, the last one is visible.
    let holder = mounts.iter().rev().filter(|mount| directory.starts_with(path(mount)));
    let holder = holder.rev().max_by_key(|mount| mount.at.len());
    let inner = mounts.iter().filter(|mount| is_below(mount, directory));
    let strange =
        |mount: &&Mount| ELSEWHERE.contains(&mount.kind.as_str()) || mount.kind.starts_with("fuse.");
    let found = holder.into_iter().chain(inner).find(strange)?;
    Some((found.at.clone(), found.kind.clone()))
}

fn shown(root: &Root, at: &[u8]) -> String {
    let relative =
        Path::new(std::ffi::OsStr::from_bytes(at)).strip_prefix(root.path()).unwrap_or(Path::new(""));
    WorkspacePath::beneath(root, relative).display()
}

/// Parses a line of the mount table.
fn mount(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|byte| *byte == b' ');
    let at = plain(fields.nth(4)?);
    let kind = fields.skip_while(|field| *field != b"-").nth(1)?;
    Some(Mount { at, kind: String::from_utf8_lossy(kind).into_owned() })
}

/// Decodes octal escapes such as `\040` in a field of the mount table.
fn plain(field: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, behind)) = rest.split_first() {
        let digits =
            behind.get(..3).filter(|digits| *first == b'\\' && digits.iter().all(u8::is_ascii_digit));
        let code = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match code.and_then(|code| u8::from_str_radix(code, 8).ok()) {
            Some(byte) => {
                out.push(byte);
                rest = behind.get(3..).unwrap_or_default();
            }
            None => {
                out.push(*first);
                rest = behind;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn network_file_systems_are_detected() {
        let text = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n\
                    30 22 0:40 / /home/net\\040share rw shared:2 master:1 - nfs4 host:/x rw\n\
                    31 22 0:41 / /home/here rw - tmpfs tmpfs rw\n\
                    32 31 0:42 / /home/here/work/remote rw - fuse.sshfs host: rw\n\
                    33 22 0:43 / /over rw - nfs host:/y rw\n\
                    34 33 0:44 / /over rw - ext4 /dev/sdb1 rw\n";
        let mounts: Vec<Mount> = text.as_bytes().split(|byte| *byte == b'\n').filter_map(mount).collect();
        let rows = [
            ("/work", None),
            ("/home/net share/deep", Some(("/home/net share", "nfs4"))),
            ("/home/here", Some(("/home/here/work/remote", "fuse.sshfs"))),
            ("/home/here/work/other", None),
            ("/over", None),
            ("/home/net", None),
        ];
        each(rows, |(directory, wanted)| {
            let found = below(Path::new(directory), &mounts);
            let found = found.map(|(at, kind)| (String::from_utf8_lossy(&at).into_owned(), kind));
            let found = found.as_ref().map(|(at, kind)| (at.as_str(), kind.as_str()));
            assert_eq!(found, wanted, "{directory}");
        });
    }
}
