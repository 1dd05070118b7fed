//! What comes from Debian's packages: gopls with the Go that it knows, and programs in Go; unpacked and not installed.

use crate::{disk, programs};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};

/// A package and its version.
pub(super) type Package = (&'static str, &'static str);

/// The language server of Go, and what it needs.
const GO: [Package; 3] =
    [("gopls", "1:0.5.0+ds-1"), ("golang-1.19-go", "1.19.8-2"), ("golang-1.19-src", "1.19.8-2")];

/// Where Go stands, below the folder of its packages.
pub(super) struct Go {
    folder: PathBuf,
}

impl Go {
    /// Fetches it, unless that was done before.
    pub(super) fn fetch(folder: &Path) -> Result<Self> {
        let folder = folder.join("go");
        let stamp = folder.join("fetched");
        let wanted = format!("{GO:?}\n");
        if disk::read(&stamp).ok().as_ref() != Some(&wanted) {
            disk::remove_folder(&folder)?;
            GO.iter().try_for_each(|package| unpack(*package, &folder))?;
            disk::write(&stamp, wanted.as_bytes())?;
        }
        Ok(Self { folder: disk::canonical(&folder)? })
    }

    /// Gives the folders of its programs.
    pub(super) fn path(&self) -> Vec<PathBuf> {
        vec![self.folder.join("usr/bin"), self.root().join("bin")]
    }

    /// Gives the variables by which it finds itself, and fetches nothing.
    pub(super) fn variables(&self) -> Vec<(&'static str, PathBuf)> {
        vec![
            ("GOROOT", self.root()),
            ("GOPATH", self.folder.join("path")),
            ("GOCACHE", self.folder.join("cache")),
            ("GOPROXY", PathBuf::from("off")),
            ("GOFLAGS", PathBuf::from("-mod=mod")),
        ]
    }

    fn root(&self) -> PathBuf {
        self.folder.join("usr/lib/go-1.19")
    }
}

/// Fetches a package and unpacks it below a folder.
pub(super) fn unpack((name, version): Package, folder: &Path) -> Result<()> {
    ensure!(
        programs::is_there("apt-get") && programs::is_there("dpkg"),
        "{name} comes from Debian, which this is not"
    );
    let place = folder.join("packages").join(name);
    disk::make_folder(&place)?;
    let mut fetch = programs::program("apt-get");
    fetch.args(["download", "--quiet", &format!("{name}={version}")]).current_dir(&place);
    programs::output(&mut fetch)?;
    let archive = disk::list(&place)?.into_iter().next();
    let archive = archive.with_context(|| format!("apt-get brought no package {name}"))?;
    programs::output(programs::program("dpkg").arg("-x").arg(archive).arg(folder)).map(drop)
}
