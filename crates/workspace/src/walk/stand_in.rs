//! Stand-ins: what the sandbox of a command puts where a protected name is missing is not there for anybody who looks.

use std::ffi::OsStr;
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{AtFlags, Dir, Mode, OFlags, openat, statat};

use super::listing::Kind;

/// By these bits a stand-in is known: the sticky bit, and no right to write (`process` makes it so).
const MARK: u32 = 0o1000;
const MARKED: u32 = 0o1222;

/// Tells whether an entry of a directory is a stand-in: a directory of this user's with the mark, and empty.
///
/// Only names with a dot are looked at, so that a walk costs no more: those of files that programs run by themselves
/// have one.
pub(super) fn is_stand_in(directory: BorrowedFd<'_>, name: &[u8], kind: Option<Kind>) -> bool {
    if kind != Some(Kind::Directory) || !name.contains(&b'.') {
        return false;
    }
    let name = OsStr::from_bytes(name);
    let is_marked = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|stat| {
        stat.st_mode & MARKED == MARK && stat.st_uid == rustix::process::geteuid().as_raw()
    });
    is_marked && is_empty(directory, name)
}

fn is_empty(directory: BorrowedFd<'_>, name: &OsStr) -> bool {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let Ok(opened) = openat(directory, name, flags, Mode::empty()) else { return false };
    let Ok(entries) = Dir::new(opened) else { return false };
    entries.flatten().all(|entry| matches!(entry.file_name().to_bytes(), b"." | b".."))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests make directories")]

    use super::*;
    use std::fs;
    use std::os::fd::AsFd;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn an_empty_directory_with_the_mark_is_one() {
        let base = tempfile::tempdir().unwrap();
        let rows = [
            (".vscode", 0o1555, false, true),
            ("opencode.json", 0o1555, false, true),
            (".full", 0o1555, true, false),
            (".own", 0o755, false, false),
            (".read-only", 0o555, false, false),
            (".shared", 0o1777, false, false),
            ("plain", 0o1555, false, false),
        ];
        let top = fs::File::open(base.path()).unwrap();
        for (name, mode, is_full, wanted) in rows {
            let path = base.path().join(name);
            fs::create_dir(&path).unwrap();
            if is_full {
                fs::write(path.join("file"), "").unwrap();
            }
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let found = is_stand_in(top.as_fd(), name.as_bytes(), Some(Kind::Directory));
            assert_eq!(found, wanted, "{name}");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        assert!(!is_stand_in(top.as_fd(), b".vscode", Some(Kind::File)));
    }
}
