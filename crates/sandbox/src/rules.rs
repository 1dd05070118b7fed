//! Landlock rules: the main restriction in a sandbox without namespaces, and a second one in a sandbox with
//! namespaces.

use std::ffi::CString;
use std::io;

use rustix::fs::{FileType, fstat};

use crate::calls::{self, RuleRights};
use crate::host;

/// The access to a path and everything below it that a Landlock rule allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessRight {
    /// Reading and executing files.
    Read,
    /// Reading, executing, writing, creating and removing files.
    Change,
    /// Reading, writing and controlling device files.
    Device,
}

/// A Landlock ruleset: the handled rights, and the paths to which access is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    handled: RuleRights,
    allowed: Vec<(CString, AccessRight)>,
}

const EXECUTE: u64 = 1;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_DIRECTORY: u64 = 1 << 3;
const TRUNCATE: u64 = 1 << 14;
const CONTROL_DEVICE: u64 = 1 << 15;

/// The rights of Landlock's first version. Its second, third and fifth version added one right each.
const FIRST: u64 = (1 << 13) - 1;
const MOVE: u64 = 1 << 13;

/// The rights that a rule for a file can grant; all other rights apply only to directories.
const OF_FILES: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | CONTROL_DEVICE;

/// The Landlock rights to listen and to connect over TCP.
const TCP: u64 = 0b11;
/// The Landlock scopes that prevent connections to abstract sockets of processes outside the sandbox, and
/// signals to these processes.
const SCOPES: u64 = 0b11;

/// The network to which a ruleset applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkScope {
    /// The program has its own network namespace, in which Landlock does not restrict TCP.
    Own,
    /// The program is in the host's network namespace, so Landlock must restrict TCP.
    OfHost,
}

impl Rules {
    /// Creates a ruleset with the rights that a Landlock version knows.
    pub fn new(version: u32, network: NetworkScope, allowed: Vec<(CString, AccessRight)>) -> Self {
        let since = |first: u32, rights: u64| if version >= first { rights } else { 0 };
        let files = FIRST | since(2, MOVE) | since(3, TRUNCATE) | since(5, CONTROL_DEVICE);
        let network = if network == NetworkScope::OfHost { since(4, TCP) } else { 0 };
        Self { handled: RuleRights { files, network, scopes: since(6, SCOPES) }, allowed }
    }

    /// Applies the ruleset to this process; allocates nothing.
    pub(crate) fn enforce(&self) -> io::Result<()> {
        let rules = calls::landlock_rules(&self.handled)?;
        for (path, right) in &self.allowed {
            // A path that does not exist needs no rule.
            let Ok(beneath) = host::pinned(path) else { continue };
            let kind = FileType::from_raw_mode(fstat(&beneath)?.st_mode);
            let possible = if kind == FileType::Directory { u64::MAX } else { OF_FILES };
            let access = self.access(*right) & possible & self.handled.files;
            calls::landlock_allow(&rules, &beneath, access)?;
        }
        calls::landlock_restrict(&rules)
    }

    fn access(&self, right: AccessRight) -> u64 {
        match right {
            AccessRight::Read => EXECUTE | READ_FILE | READ_DIRECTORY,
            AccessRight::Change => self.handled.files & !CONTROL_DEVICE,
            AccessRight::Device => READ_FILE | WRITE_FILE | READ_DIRECTORY | TRUNCATE | CONTROL_DEVICE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn rules_use_only_rights_of_the_landlock_version() {
        let rows = [
            (1, NetworkScope::OfHost, (0x1fff, 0, 0)),
            (2, NetworkScope::OfHost, (0x3fff, 0, 0)),
            (3, NetworkScope::OfHost, (0x7fff, 0, 0)),
            (4, NetworkScope::OfHost, (0x7fff, 3, 0)),
            (5, NetworkScope::OfHost, (0xffff, 3, 0)),
            (6, NetworkScope::OfHost, (0xffff, 3, 3)),
            (7, NetworkScope::Own, (0xffff, 0, 3)),
        ];
        each(rows, |(version, network, (files, tcp, scopes))| {
            let rules = Rules::new(version, network, Vec::new());
            assert_eq!(rules.handled, RuleRights { files, network: tcp, scopes }, "{version}");
        });
    }
}
