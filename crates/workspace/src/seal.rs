//! Seals of journals and history records: keyed hashes that show whether a file changed after Toolpost wrote
//! it.

use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, OFlags, fsync, linkat, openat, unlinkat};
use rustix::io::{Errno, Result};
use serde::{Deserialize, Serialize};

use crate::fault::SystemError;
use crate::private_files::{CREATE, PRIVATE, read_file};
use crate::process_id::unique;
use crate::tmpfile;

/// Name of the key file in the state directory.
pub(crate) const KEY: &str = "seal.key";

/// Length of the key of the seals, in bytes.
const LENGTH: usize = 32;

/// The seal of a file is the first field of its JSON object: this text, 64 hex digits, and [`AFTER`].
const BEFORE: &[u8] = b"{\"seal\":\"";
const AFTER: &[u8] = b"\",";
const DIGITS: usize = 64;

/// Result of checking the seal of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seal {
    /// The file has not changed since Toolpost wrote it.
    #[default]
    Valid,
    /// The file has no seal, like the files of earlier versions of Toolpost.
    Missing,
    /// The file changed after Toolpost wrote it, or was sealed with another key.
    Wrong,
}

impl Seal {
    /// Returns the reason why a file with this result is not used, as the predicate of a sentence; `None` if
    /// the seal is valid.
    #[must_use]
    pub fn why(self) -> Option<&'static str> {
        match self {
            Self::Valid => None,
            Self::Missing => {
                Some("has no integrity seal (an earlier version of Toolpost or another program wrote it)")
            }
            Self::Wrong => Some(
                "has a wrong integrity seal (it changed after Toolpost wrote it, or the key was replaced)",
            ),
        }
    }
}

/// The key of the seals in a state directory. Tool calls and sandboxed commands can read neither the key nor the rest
/// of that directory.
#[derive(Clone)]
pub(crate) struct SealKey([u8; LENGTH]);

impl SealKey {
    /// Reads the key file of a state directory, and creates it if it is missing. Fails with `EBADMSG` if the
    /// file is damaged.
    pub(crate) fn open(state: impl AsFd) -> Result<Self> {
        match Self::read(&state) {
            Err(Errno::NOENT) => Self::create(&state),
            answer => answer,
        }
    }

    fn read(state: impl AsFd) -> Result<Self> {
        let bytes = read_file(state, KEY, LENGTH as u64).map_err(|errno| match errno {
            Errno::STALE | Errno::ISDIR => Errno::BADMSG,
            other => other,
        })?;
        bytes.try_into().map(Self).map_err(|_| Errno::BADMSG)
    }

    fn create(state: impl AsFd) -> Result<Self> {
        let mut key = [0; LENGTH];
        getrandom::fill(&mut key).map_err(|_| Errno::IO)?;
        let fill = |file: OwnedFd| {
            let mut file = File::from(file);
            file.write_all(&key).map_err(|error| SystemError::from(error).errno())?;
            fsync(&file)?;
            Ok(file)
        };
        let linked = match tmpfile::create(&state, PRIVATE)? {
            Some(file) => tmpfile::link(&fill(file)?, &state, KEY.as_ref()),
            None => {
                let fresh = format!("{KEY}.{}", unique());
                let written = openat(&state, &fresh, CREATE | OFlags::EXCL, PRIVATE).and_then(fill);
                let linked = written.and_then(|_| linkat(&state, &fresh, &state, KEY, AtFlags::empty()));
                let _ = unlinkat(&state, &fresh, AtFlags::empty());
                linked
            }
        };
        // If the name exists, another process has just created the key, and that key is used.
        match linked {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno),
        }
        let _ = fsync(&state);
        Self::read(state)
    }

    /// Adds the seal to a JSON object that has at least one field.
    pub(crate) fn seal(&self, object: &[u8]) -> Vec<u8> {
        let rest = object.strip_prefix(b"{").unwrap_or(object);
        let seal = blake3::keyed_hash(&self.0, rest).to_hex();
        [BEFORE, seal.as_bytes(), AFTER, rest].concat()
    }

    /// Checks the seal of a file.
    pub(crate) fn check(&self, file: &[u8]) -> Seal {
        let Some(sealed) = file.strip_prefix(BEFORE) else { return Seal::Missing };
        let Some((digits, rest)) = sealed.split_at_checked(DIGITS) else { return Seal::Wrong };
        let Some(rest) = rest.strip_prefix(AFTER) else { return Seal::Wrong };
        // `blake3::Hash` compares in constant time. It also parses upper-case digits, which Toolpost never writes and
        // which are refused.
        let own = blake3::keyed_hash(&self.0, rest);
        let is_lower = !digits.iter().any(u8::is_ascii_uppercase);
        let is_same = is_lower && blake3::Hash::from_hex(digits).is_ok_and(|seal| seal == own);
        if is_same { Seal::Valid } else { Seal::Wrong }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seal_detects_every_changed_byte() {
        let key = SealKey([7; LENGTH]);
        let object = serde_json::json!({ "record": { "id": "0123456789", "n": [1, 2] } }).to_string();
        let sealed = key.seal(object.as_bytes());
        assert_eq!(key.check(&sealed), Seal::Valid);
        assert_eq!(key.check(object.as_bytes()), Seal::Missing);
        assert_eq!(SealKey([8; LENGTH]).check(&sealed), Seal::Wrong);
        for position in 0..sealed.len() {
            for bit in 0..8 {
                let mut other = sealed.clone();
                other[position] ^= 1 << bit;
                assert_ne!(key.check(&other), Seal::Valid, "bit {bit} of byte {position}");
            }
            assert_ne!(key.check(&sealed[..position]), Seal::Valid, "the first {position} bytes");
            let more = [&sealed[..position], b" ", &sealed[position..]].concat();
            assert_ne!(key.check(&more), Seal::Valid, "a space at {position}");
        }
    }

    #[test]
    fn concurrent_key_creation_yields_one_key() {
        let directory = tempfile::tempdir().unwrap();
        let open = || {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY;
            rustix::fs::open(directory.path(), flags, rustix::fs::Mode::empty()).unwrap()
        };
        let keys: Vec<[u8; LENGTH]> = std::thread::scope(|scope| {
            let one = || scope.spawn(|| SealKey::open(open()).unwrap().0);
            let all: Vec<_> = std::iter::repeat_with(one).take(16).collect();
            all.into_iter().map(|key| key.join().unwrap()).collect()
        });
        assert!(keys.iter().all(|key| *key == keys[0]) && keys[0] != [0; LENGTH]);
        let names: Vec<_> = crate::private_files::names(open().as_fd()).unwrap();
        assert_eq!(names, [KEY]);
    }
}
