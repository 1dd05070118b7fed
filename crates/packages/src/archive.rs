//! Sources that lie packed in an archive: unpacked once into the cache, by the hash of the archive, as a whole or not at all.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "the disk door")]

mod zip;

use std::collections::HashMap;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use toolpost_workspace::{ContentHash, Holder, Workspace, WorkspacePath, unique};
use zip::{Archive, Member};

/// The largest archive that is read, in bytes.
const LARGEST: u64 = 128 << 20;
/// How many files an archive may hold, and how many bytes all of them may have.
const MOST: (usize, u64) = (50_000, 256 << 20);
/// The largest file that is unpacked, and the longest name, in bytes.
const ONE: (u64, usize) = (16 << 20, 512);
/// What nobody reads.
const COMPILED: [&str; 3] = [".class", ".jar", ".so"];
/// Where the unpacking of others that were stopped in the middle is recognised by.
const DRAFT: &str = ".draft-";

/// What was unpacked, as far as it is remembered: by the place of the archive and what it was then.
#[derive(Default)]
pub(crate) struct Unpacked(Mutex<HashMap<WorkspacePath, (Print, ContentHash)>>);

/// What a file was: changed when, how long, and which it was.
type Print = (i128, u64, u64);

impl Unpacked {
    /// Gives the directory with what an archive holds, to be read under a label.
    ///
    /// # Errors
    /// Why it cannot be unpacked, in words that stand behind a colon.
    pub(crate) fn open(
        &self,
        workspace: &Workspace,
        cache: Option<&Path>,
        archive: &WorkspacePath,
        label: &str,
    ) -> Result<WorkspacePath, String> {
        let Some(cache) = cache else {
            return Err("there is no folder for what can be made again (`cache`)".to_owned());
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
    let holder = Holder::open(cache).ok_or_else(|| format!("{} cannot be opened", cache.display()))?;
    let folder = cache.join(hash.to_hex());
    workspace
        .aside(&folder, std::slice::from_ref(&holder), label)
        .map_err(|error| format!("{} {error}", folder.display()))
}

/// Unpacks beside the place, and then gives it its name.
fn unpack(bytes: &[u8], cache: &Path, folder: &Path) -> Result<(), String> {
    let archive = Archive::read(bytes)?;
    let wanted = chosen(&archive)?;
    let failed = |error: &io::Error| format!("it cannot be unpacked in {}: {error}", cache.display());
    DirBuilder::new().recursive(true).mode(0o700).create(cache).map_err(|error| failed(&error))?;
    let draft = cache.join(format!("{DRAFT}{}", unique()));
    let made = fill(&archive, &wanted, &draft, &failed);
    let named = made.and_then(|()| match fs::rename(&draft, folder) {
        // Another process was quicker with the same archive.
        Err(_) if folder.is_dir() => Ok(()),
        renamed => renamed.map_err(|error| failed(&error)),
    });
    // Gone already where it got its name.
    let _ = fs::remove_dir_all(&draft);
    named
}

/// Picks what is unpacked; a name that leads out of the archive makes all of it suspect.
fn chosen<'a>(archive: &'a Archive<'a>) -> Result<Vec<(&'a Member, PathBuf)>, String> {
    if archive.members.len() > MOST.0 {
        return Err(format!("it holds {} files, and at most {} are unpacked", archive.members.len(), MOST.0));
    }
    let mut wanted = Vec::new();
    for member in &archive.members {
        let shown = || toolpost_text::escape::name(&member.name).into_owned();
        let name = std::str::from_utf8(&member.name)
            .map_err(|_| format!("it holds {}, which is no name in UTF-8", shown()))?;
        let path = below(name)
            .ok_or_else(|| format!("it holds {}, which leads out of it or is no name of a file", shown()))?;
        let compiled = COMPILED.iter().any(|end| name.to_ascii_lowercase().ends_with(end));
        if !name.ends_with('/') && !member.is_link() && !compiled && member.size <= ONE.0 {
            wanted.push((member, path));
        }
    }
    // What is said here is checked again while it is unpacked.
    let all: u64 = wanted.iter().map(|(member, _)| member.size).fold(0, u64::saturating_add);
    if all > MOST.1 {
        return Err(format!("it would have {} MB, and at most {} MB are unpacked", all >> 20, MOST.1 >> 20));
    }
    Ok(wanted)
}

/// Reads a name in an archive as a path below the directory that it is unpacked into.
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
            .map_err(|why| format!("{} in it cannot be unpacked: {why}", path.display()))?;
        let made = DirBuilder::new().recursive(true).mode(0o700).create(above);
        let new = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&place);
        match made.and(new) {
            Ok(mut file) => file.write_all(&content).map_err(|error| failed(&error))?,
            // A name that comes twice, or that stands for a file and a directory at once: the first one counts.
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
