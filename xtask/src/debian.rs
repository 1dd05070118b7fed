//! Debian packages, downloaded and unpacked without installation.

use crate::{disk, programs};
use anyhow::{Context, Result, ensure};
use std::path::Path;

/// Downloads a package, in the given or the current version, and unpacks it into a directory.
pub(crate) fn unpack(name: &str, version: Option<&str>, folder: &Path) -> Result<()> {
    ensure!(
        programs::is_there("apt-get") && programs::is_there("dpkg"),
        "{name} is a Debian package, and apt-get or dpkg is missing here"
    );
    let place = folder.join("packages").join(name);
    disk::make_folder(&place)?;
    let wanted = version.map_or_else(|| name.to_owned(), |version| format!("{name}={version}"));
    let mut fetch = programs::program("apt-get");
    fetch.args(["download", "--quiet", &wanted]).current_dir(&place);
    programs::output(&mut fetch)?;
    let archive = disk::list(&place)?.into_iter().next();
    let archive = archive.with_context(|| format!("apt-get downloaded no package {name}"))?;
    programs::output(programs::program("dpkg").arg("-x").arg(archive).arg(folder)).map(drop)
}
