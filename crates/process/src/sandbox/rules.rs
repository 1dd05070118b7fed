//! Landlock rules: a second lock where there are namespaces, the first where there are none.

use std::ffi::CString;
use std::io;

use rustix::fs::{FileType, fstat};

use crate::sandbox::calls::{self, RuleRights};
use crate::sandbox::host;

/// Access below a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Right {
    /// Read and execute.
    Read,
    /// Everything.
    Change,
    /// Read, write and control devices.
    Device,
}

/// Rules for Landlock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rules {
    handled: RuleRights,
    allowed: Vec<(CString, Right)>,
}

const EXECUTE: u64 = 1;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_DIRECTORY: u64 = 1 << 3;
const TRUNCATE: u64 = 1 << 14;
const CONTROL_DEVICE: u64 = 1 << 15;

/// The rights that the first version knows; the second, third and fifth added one each.
const FIRST: u64 = (1 << 13) - 1;
const MOVE: u64 = 1 << 13;

/// The rights that a rule for a file can grant; all others are for directories.
const OF_FILES: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | CONTROL_DEVICE;

/// To listen and to connect over TCP.
const TCP: u64 = 0b11;
/// Abstract sockets and signals that lead out.
const SCOPES: u64 = 0b11;

/// Owner of the network that a program is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NetworkScope {
    /// It does.
    Own,
    /// It does not.
    OfHost,
}

impl Rules {
    /// Makes rules for a version of the kernel's Landlock.
    pub(crate) fn new(version: u32, network: NetworkScope, allowed: Vec<(CString, Right)>) -> Self {
        let since = |first: u32, rights: u64| if version >= first { rights } else { 0 };
        let files = FIRST | since(2, MOVE) | since(3, TRUNCATE) | since(5, CONTROL_DEVICE);
        let network = if network == NetworkScope::OfHost { since(4, TCP) } else { 0 };
        Self { handled: RuleRights { files, network, scopes: since(6, SCOPES) }, allowed }
    }

    /// Puts this process under the rules; allocates nothing.
    pub(crate) fn enforce(&self) -> io::Result<()> {
        let rules = calls::landlock_rules(&self.handled)?;
        for (path, right) in &self.allowed {
            // A missing path needs no right.
            let Ok(beneath) = host::pinned(path) else { continue };
            let kind = FileType::from_raw_mode(fstat(&beneath)?.st_mode);
            let possible = if kind == FileType::Directory { u64::MAX } else { OF_FILES };
            let access = self.access(*right) & possible & self.handled.files;
            calls::landlock_allow(&rules, &beneath, access)?;
        }
        calls::landlock_restrict(&rules)
    }

    fn access(&self, right: Right) -> u64 {
        match right {
            Right::Read => EXECUTE | READ_FILE | READ_DIRECTORY,
            Right::Change => self.handled.files & !CONTROL_DEVICE,
            Right::Device => READ_FILE | WRITE_FILE | READ_DIRECTORY | TRUNCATE | CONTROL_DEVICE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_asked_only_what_it_knows() {
        let rows = [
            (1, NetworkScope::OfHost, (0x1fff, 0, 0)),
            (2, NetworkScope::OfHost, (0x3fff, 0, 0)),
            (3, NetworkScope::OfHost, (0x7fff, 0, 0)),
            (4, NetworkScope::OfHost, (0x7fff, 3, 0)),
            (5, NetworkScope::OfHost, (0xffff, 3, 0)),
            (6, NetworkScope::OfHost, (0xffff, 3, 3)),
            (7, NetworkScope::Own, (0xffff, 0, 3)),
        ];
        for (version, network, (files, tcp, scopes)) in rows {
            let rules = Rules::new(version, network, Vec::new());
            assert_eq!(rules.handled, RuleRights { files, network: tcp, scopes }, "{version}");
        }
    }
}
