//! Reading and parsing of inotify events (notices of the kernel about changed files).

use std::os::fd::OwnedFd;

use rustix::io::{Errno, ioctl_fionread, read, retry_on_intr};

/// An inotify event of a watched directory, or of an entry in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Event<'a> {
    /// Watch descriptor, which identifies the watched directory.
    pub(super) watch: i32,
    /// Event mask: the kind of event, as a set of [`bits`].
    pub(super) mask: u32,
    /// Name of the entry in the watched directory; empty for the directory itself.
    pub(super) name: &'a [u8],
}

/// Bits of an inotify event mask.
pub(super) mod bits {
    pub(crate) const MOVED_FROM: u32 = 0x40;
    pub(crate) const CREATE: u32 = 0x100;
    pub(crate) const DELETE: u32 = 0x200;
    pub(crate) const DELETE_SELF: u32 = 0x400;
    pub(crate) const MOVE_SELF: u32 = 0x800;
    pub(crate) const MOVED_TO: u32 = 0x80;
    pub(crate) const UNMOUNT: u32 = 0x2000;
    pub(crate) const OVERFLOW: u32 = 0x4000;
    pub(crate) const IGNORED: u32 = 0x8000;
    pub(crate) const DIRECTORY: u32 = 0x4000_0000;
}

/// Number of bytes to read at a time; a single event is shorter than 300 bytes.
const PIECE: usize = 64 * 1024;

/// Length of an event in the buffer without its name, in bytes.
const HEAD: usize = 16;

/// Reads all pending inotify events.
pub(super) fn waiting(descriptor: &OwnedFd) -> Result<Vec<u8>, Errno> {
    let mut left = usize::try_from(ioctl_fionread(descriptor)?).unwrap_or(usize::MAX);
    let mut bytes = Vec::new();
    while left > 0 {
        let from = bytes.len();
        bytes.resize(from + PIECE, 0);
        let count = match retry_on_intr(|| read(descriptor, &mut bytes[from..])) {
            Ok(count) => count,
            Err(Errno::AGAIN) => 0,
            Err(errno) => return Err(errno),
        };
        bytes.truncate(from + count);
        if count == 0 {
            break;
        }
        left = left.saturating_sub(count);
    }
    Ok(bytes)
}

/// Parses a buffer of inotify events.
pub(super) fn each(mut bytes: &[u8]) -> impl Iterator<Item = Event<'_>> {
    std::iter::from_fn(move || {
        let (head, rest) = bytes.split_at_checked(HEAD)?;
        let number = |at: usize| {
            let four = head.get(at..at + 4).and_then(|four| four.try_into().ok()).unwrap_or_default();
            u32::from_ne_bytes(four)
        };
        let (name, rest) = rest.split_at_checked(number(12) as usize)?;
        bytes = rest;
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        Some(Event { watch: number(0).cast_signed(), mask: number(4), name })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(watch: i32, mask: u32, name: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let length = u32::try_from(name.len()).unwrap_or_default();
        for number in [watch.cast_unsigned(), mask, 0, length] {
            bytes.extend_from_slice(&number.to_ne_bytes());
        }
        bytes.extend_from_slice(name);
        bytes
    }

    #[test]
    fn inotify_events_are_parsed_in_order() {
        let all = [raw(1, bits::CREATE, b"a\0\0\0"), raw(-1, bits::OVERFLOW, b""), raw(2, 2, b"long.rs\0")]
            .concat();
        let wanted = [
            Event { watch: 1, mask: bits::CREATE, name: b"a" },
            Event { watch: -1, mask: bits::OVERFLOW, name: b"" },
            Event { watch: 2, mask: 2, name: b"long.rs" },
        ];
        assert_eq!(each(&all).collect::<Vec<_>>(), wanted);
        // A truncated event ends the iteration.
        assert_eq!(each(&all[..all.len() - 1]).collect::<Vec<_>>(), &wanted[..2]);
    }
}
