//! Metadata of files: owner, permissions and extended attributes.

use std::ffi::{CStr, CString};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{
    Gid, Uid, XattrFlags, fchmod, fchown, fgetxattr, flistxattr, fremovexattr, fsetxattr, fstat,
};
use rustix::io::{Errno, Result};

use crate::access::Stat;
use crate::system::mode as mode_bits;

const ACCESS_LIST: &CStr = c"system.posix_acl_access";

/// Copies the metadata of the old file to the new one, but uses the permission bits `mode` if they are given. Returns
/// the metadata that could not be copied.
///
/// Fails if the permission bits cannot be read or set, because the file must not appear with wrong permissions.
pub(crate) fn copy(old: impl AsFd, new: impl AsFd, mode: Option<u32>) -> Result<Vec<String>> {
    let (old, new) = (old.as_fd(), new.as_fd());
    let mut lost = Vec::new();
    let wanted = fstat(old)?;
    let given = fstat(new)?;
    let mut bits = mode.unwrap_or(Stat::of(&wanted).mode);
    if wanted.st_gid != given.st_gid && fchown(new, None, Some(Gid::from_raw(wanted.st_gid))).is_err() {
        lost.push("group".to_owned());
        bits &= !0o2000;
    }
    if wanted.st_uid != given.st_uid && fchown(new, Some(Uid::from_raw(wanted.st_uid)), None).is_err() {
        lost.push("owner".to_owned());
        bits &= !0o4000;
    }
    if copy_attributes(old, new, &mut lost) == AccessList::Lost {
        // In a file with an ACL, the group bits of the mode are the mask of the ACL. Without the ACL, they would
        // grant the group these permissions, so they are removed.
        bits &= !0o070;
    }
    if Stat::of(&fstat(new)?).mode != bits {
        fchmod(new, mode_bits(bits))?;
    }
    Ok(lost)
}

#[derive(PartialEq)]
enum AccessList {
    AsBefore,
    Lost,
}

fn copy_attributes(old: BorrowedFd<'_>, new: BorrowedFd<'_>, lost: &mut Vec<String>) -> AccessList {
    let mut access_list = AccessList::AsBefore;
    let names = attribute_names(old);
    if !names.iter().any(|name| name.as_c_str() == ACCESS_LIST) {
        // The old file has no ACL. If the new file has inherited one from its directory, it is removed.
        let _ = fremovexattr(new, ACCESS_LIST);
    }
    for name in names.iter().filter(|name| is_kept(name)) {
        let set = attribute(old, name).and_then(|value| {
            if attribute(new, name).is_ok_and(|present| present == value) {
                return Ok(());
            }
            fsetxattr(new, name.as_c_str(), &value, XattrFlags::empty())
        });
        if set.is_err() {
            lost.push(format!("attribute {}", toolpost_text::escape::name(name.as_bytes()).into_owned()));
            if name.as_c_str() == ACCESS_LIST {
                access_list = AccessList::Lost;
            }
        }
    }
    access_list
}

/// Returns whether an extended attribute is copied. `security.capability` is not, because every write clears
/// it.
fn is_kept(name: &CStr) -> bool {
    let name = name.to_bytes();
    name.starts_with(b"user.")
        || name == ACCESS_LIST.to_bytes()
        || matches!(name, b"security.selinux" | b"security.SMACK64" | b"security.apparmor")
}

fn attribute_names(file: BorrowedFd<'_>) -> Vec<CString> {
    let list = sized(|buffer| flistxattr(file, buffer)).unwrap_or_default();
    list.split(|byte| *byte == 0)
        .filter(|name| !name.is_empty())
        .filter_map(|name| CString::new(name).ok())
        .collect()
}

fn attribute(file: BorrowedFd<'_>, name: &CStr) -> Result<Vec<u8>> {
    sized(|buffer| fgetxattr(file, name, buffer))
}

/// Repeats a system call with a growing buffer, of at most 4 MiB, until the buffer is long enough for the answer.
fn sized(call: impl Fn(&mut [u8]) -> Result<usize>) -> Result<Vec<u8>> {
    let mut buffer = vec![0; 1024];
    loop {
        match call(&mut buffer) {
            Ok(length) => {
                buffer.truncate(length);
                return Ok(buffer);
            }
            Err(Errno::RANGE) if buffer.len() < 1 << 20 => buffer.resize(buffer.len() * 8, 0),
            Err(errno) => return Err(errno),
        }
    }
}
