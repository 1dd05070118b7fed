//! Source trees of third-party projects.

use crate::{debian, disk, programs};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};

/// Debian package of the Linux sources, and the name of the archive in it.
const LINUX: &str = "linux-source-6.1";

/// Creates a tree of the Linux sources.
pub(super) fn linux(folder: &Path) -> Result<PathBuf> {
    let place = folder.join("linux");
    let root = place.join(LINUX);
    if disk::exists(&place.join("done")) {
        return Ok(disk::canonical(&root)?);
    }
    disk::remove_folder(&place)?;
    debian::unpack(LINUX, None, &place)?;
    let archive = place.join("usr/src").join(format!("{LINUX}.tar.xz"));
    let mut tar = programs::program("tar");
    programs::output(tar.arg("-xf").arg(&archive).arg("-C").arg(&place))?;
    // The ignore file of Debian's package excludes all files.
    disk::remove_file(&root.join(".gitignore"))?;
    disk::write(&root.join(".git/HEAD"), b"ref: refs/heads/main\n")?;
    disk::write(&place.join("done"), b"")?;
    Ok(disk::canonical(&root)?)
}

/// Creates a tree with the first `files` Rust sources, in path order, of the packages that cargo has unpacked.
pub(super) fn packages(folder: &Path, files: usize) -> Result<PathBuf> {
    let root = folder.join(format!("sources-{files}"));
    if disk::exists(&root.join("done")) {
        return Ok(disk::canonical(&root)?);
    }
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let mut found = Vec::new();
    gather(
        &home.context("neither CARGO_HOME nor HOME is set")?.join("registry").join("src"),
        files,
        &mut found,
    )?;
    ensure!(found.len() == files, "cargo has unpacked only {} sources here", found.len());
    for (at, path) in found.iter().enumerate() {
        let name = path.file_name().context("a file without a name")?;
        let place = root.join(format!("d{}", at / 50));
        disk::make_folder(&place)?;
        disk::write(&place.join(format!("{at}-{}", name.to_string_lossy())), disk::read(path)?.as_bytes())?;
    }
    disk::write(&root.join("done"), b"")?;
    Ok(disk::canonical(&root)?)
}

fn gather(folder: &Path, most: usize, out: &mut Vec<PathBuf>) -> Result<()> {
    let mut entries = disk::list(folder)?;
    entries.sort();
    for entry in entries {
        if out.len() >= most {
            return Ok(());
        }
        if disk::is_folder(&entry) {
            gather(&entry, most, out)?;
        } else if entry.extension().is_some_and(|extension| extension == "rs") && disk::read(&entry).is_ok() {
            out.push(entry);
        }
    }
    Ok(())
}
