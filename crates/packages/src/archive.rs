//! Unpacking of archives with sources of dependencies (source JARs) into the cache.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "this module writes to the cache directly"
)]

mod zip;

use std::collections::HashMap;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use toolpost_workspace::{AllowedParent, ContentHash, Workspace, WorkspacePath, unique};
use zip::{Archive, Member};

/// Maximum size of an archive that is unpacked, in bytes.
const LARGEST: u64 = 128 << 20;
/// Maximum number of files in an archive, and maximum total size when they are unpacked, in bytes.
const MOST: (usize, u64) = (50_000, 256 << 20);
/// Maximum unpacked size of one file in an archive, and maximum length of its name, in bytes.
const ONE: (u64, usize) = (16 << 20, 512);
/// Endings of the names of compiled files, which are not unpacked.
const COMPILED: [&str; 3] = [".class", ".jar", ".so"];
/// Name prefix of directories into which an archive is still being unpacked.
const DRAFT: &str = ".draft-";

/// Hashes of the archives that this process has unpacked, each with the archive's file metadata at that time.
#[derive(Default)]
pub(crate) struct ArchiveCache(Mutex<HashMap<WorkspacePath, (FileStamp, ContentHash)>>);

/// Modification time, length and inode of an archive, which change with its content.
type FileStamp = (i128, u64, u64);

impl ArchiveCache {
    /// Opens the unpacked content of an archive as an external root (a read-only directory outside the workspace).
    /// Unpacks the archive into the cache first if it is not there. The directory is named by the archive's hash, and
    /// appears complete or not at all.
    ///
    /// # Errors
    /// Returns the reason, worded to follow a colon.
    pub(crate) fn open(
        &self,
        workspace: &Workspace,
        cache: Option<&Path>,
        archive: &WorkspacePath,
        label: &str,
    ) -> Result<WorkspacePath, String> {
        let Some(cache) = cache else {
            return Err("there is no cache directory (setting `cache`)".to_owned());
        };
        let stat = workspace.stat(archive).map_err(|error| error.to_string())?;
        let print = (stat.modified, stat.len, stat.inode);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let remembered = known.get(archive).filter(|(old, _)| *old == print).map(|(_, hash)| *hash);
        if let Some(hash) = remembered
            && let Ok(path) = opened(workspace, cache, hash, label)
        {
            return Ok(path);
        }
        let read = workspace.read(archive, LARGEST).map_err(|error| error.to_string())?;
        let folder = cache.join(read.hash.to_hex());
        if !folder.is_dir() {
            unpack(&read.bytes, cache, &folder)?;
        }
        known.insert(archive.clone(), (print, read.hash));
        opened(workspace, cache, read.hash, label)
    }
}

fn opened(
    workspace: &Workspace,
    cache: &Path,
    hash: ContentHash,
    label: &str,
) -> Result<WorkspacePath, String> {
    let holder = AllowedParent::open(cache).ok_or_else(|| format!("{} cannot be opened", cache.display()))?;
    let folder = cache.join(hash.to_hex());
    workspace
        .open_external(&folder, std::slice::from_ref(&holder), label)
        .map_err(|error| format!("{} {error}", folder.display()))
}

/// Unpacks an archive into a temporary directory in `cache`, and then renames the directory to `folder`.
fn unpack(bytes: &[u8], cache: &Path, folder: &Path) -> Result<(), String> {
    let archive = Archive::read(bytes)?;
    let wanted = chosen(&archive)?;
    let failed =
        |error: &io::Error| format!("the archive cannot be unpacked into {}: {error}", cache.display());
    DirBuilder::new().recursive(true).mode(0o700).create(cache).map_err(|error| failed(&error))?;
    let draft = cache.join(format!("{DRAFT}{}", unique()));
    let made = fill(&archive, &wanted, &draft, &failed);
    let named = made.and_then(|()| match fs::rename(&draft, folder) {
        // Another process has unpacked the same archive in the meantime.
        Err(_) if folder.is_dir() => Ok(()),
        renamed => renamed.map_err(|error| failed(&error)),
    });
    // If the rename failed, the temporary directory is still there.
    let _ = fs::remove_dir_all(&draft);
    named
}

/// Selects the files of an archive to unpack. A single unsafe file name rejects the whole archive.
fn chosen<'a>(archive: &'a Archive<'a>) -> Result<Vec<(&'a Member, PathBuf)>, String> {
    if archive.members.len() > MOST.0 {
        return Err(format!("the archive has {} files, and the limit is {}", archive.members.len(), MOST.0));
    }
    let mut wanted = Vec::new();
    for member in &archive.members {
        let shown = || toolpost_text::escape::name(&member.name).into_owned();
        let name = std::str::from_utf8(&member.name)
            .map_err(|_| format!("the archive contains {}, whose name is not UTF-8", shown()))?;
        let path = below(name).ok_or_else(|| {
            format!("the archive contains {}, which leads out of the archive or is not a file name", shown())
        })?;
        let compiled = COMPILED.iter().any(|end| name.to_ascii_lowercase().ends_with(end));
        if !name.ends_with('/') && !member.is_link() && !compiled && member.size <= ONE.0 {
            wanted.push((member, path));
        }
    }
    // The total of the sizes that the archive states. If a file is longer than stated, `content` fails later.
    let all: u64 = wanted.iter().map(|(member, _)| member.size).fold(0, u64::saturating_add);
    if all > MOST.1 {
        return Err(format!(
            "the archive would unpack to {} MiB, and the limit is {} MiB",
            all >> 20,
            MOST.1 >> 20
        ));
    }
    Ok(wanted)
}

/// Returns the name of a file in an archive as a relative path; `None` if it could lead out of the target directory, is
/// too long, or contains forbidden characters.
fn below(name: &str) -> Option<PathBuf> {
    let plain = |part: &str| !part.is_empty() && part != "." && part != ".." && part.len() < 256;
    let odd = |letter: char| letter.is_control() || matches!(letter, '\\' | ':');
    let name = name.strip_suffix('/').unwrap_or(name);
    let fits = name.len() <= ONE.1 && !name.contains(odd) && name.split('/').all(plain);
    fits.then(|| PathBuf::from(name))
}

fn fill(
    archive: &Archive<'_>,
    wanted: &[(&Member, PathBuf)],
    draft: &Path,
    failed: &dyn Fn(&io::Error) -> String,
) -> Result<(), String> {
    DirBuilder::new().mode(0o700).create(draft).map_err(|error| failed(&error))?;
    for (member, path) in wanted {
        let place = draft.join(path);
        let above = place.parent().unwrap_or(draft);
        let content = archive
            .content(member)
            .map_err(|why| format!("the file {} in the archive cannot be unpacked: {why}", path.display()))?;
        let made = DirBuilder::new().recursive(true).mode(0o700).create(above);
        let new = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&place);
        match made.and(new) {
            Ok(mut file) => file.write_all(&content).map_err(|error| failed(&error))?,
            // If a name occurs twice, or as a file and as a directory, the first occurrence is kept.
            Err(error) if is_taken(&error) => {}
            Err(error) => return Err(failed(&error)),
        }
    }
    Ok(())
}

fn is_taken(error: &io::Error) -> bool {
    use io::ErrorKind::{AlreadyExists, IsADirectory, NotADirectory};
    matches!(error.kind(), AlreadyExists | NotADirectory | IsADirectory)
}

#[cfg(test)]
mod tests;
