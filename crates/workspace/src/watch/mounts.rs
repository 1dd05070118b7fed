//! File systems on which others change things unseen.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags, open};

use crate::path::WorkspacePath;
use crate::root::Root;

/// Kinds of file systems that may be changed from elsewhere without a word to this machine.
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

/// Gives a place beneath the roots that others may change unseen, with the kind of its file system.
pub(super) fn elsewhere(roots: &[Root]) -> Option<(String, String)> {
    use std::io::Read;
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let opened = open("/proc/self/mountinfo", flags, Mode::empty()).ok()?;
    let mut text = Vec::new();
    std::fs::File::from(opened).read_to_end(&mut text).ok()?;
    let mounts: Vec<Mount> = text.split(|byte| *byte == b'\n').filter_map(mount).collect();
    roots.iter().find_map(|root| below(root.path(), &mounts).map(|(at, kind)| (shown(root, &at), kind)))
}

/// Something mounted: where, and what kind of file system it is.
struct Mount {
    at: Vec<u8>,
    kind: String,
}

/// Finds among the mounts below a directory, and the one that holds it, one of those kinds.
fn below(directory: &Path, mounts: &[Mount]) -> Option<(Vec<u8>, String)> {
    let path = |mount: &Mount| Path::new(std::ffi::OsStr::from_bytes(&mount.at)).to_path_buf();
    // Of several at one place, the last one hides the others.
    let holder = mounts.iter().rev().filter(|mount| directory.starts_with(path(mount)));
    let holder = holder.rev().max_by_key(|mount| mount.at.len());
    let inner = mounts.iter().filter(|mount| path(mount) != directory && path(mount).starts_with(directory));
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

/// Reads a line of the list of mounts.
fn mount(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|byte| *byte == b' ');
    let at = plain(fields.nth(4)?);
    let kind = fields.skip_while(|field| *field != b"-").nth(1)?;
    Some(Mount { at, kind: String::from_utf8_lossy(kind).into_owned() })
}

/// Writes out what stands as a backslash and three digits.
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

    #[test]
    fn file_systems_of_other_machines_are_found() {
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
        for (directory, wanted) in rows {
            let found = below(Path::new(directory), &mounts);
            let found = found.map(|(at, kind)| (String::from_utf8_lossy(&at).into_owned(), kind));
            let found = found.as_ref().map(|(at, kind)| (at.as_str(), kind.as_str()));
            assert_eq!(found, wanted, "{directory}");
        }
    }
}
