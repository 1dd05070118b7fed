//! gopls with its Go toolchain, from unpacked Debian packages.

use crate::{debian, disk};
use anyhow::Result;
use std::path::{Path, PathBuf};

/// Name of a Debian package, and its version.
type Package = (&'static str, &'static str);

/// The Go language server and its dependencies.
const GO: [Package; 3] =
    [("gopls", "1:0.5.0+ds-1"), ("golang-1.19-go", "1.19.8-2"), ("golang-1.19-src", "1.19.8-2")];

/// The unpacked Go toolchain, with the language server gopls.
pub(super) struct Go {
    folder: PathBuf,
}

impl Go {
    /// Downloads the toolchain unless it exists.
    pub(super) fn fetch(folder: &Path) -> Result<Self> {
        let folder = folder.join("go");
        let stamp = folder.join("fetched");
        let wanted = format!("{GO:?}\n");
        if disk::read(&stamp).ok().as_ref() != Some(&wanted) {
            disk::remove_folder(&folder)?;
            GO.iter().try_for_each(|(name, version)| debian::unpack(name, Some(version), &folder))?;
            disk::write(&stamp, wanted.as_bytes())?;
        }
        Ok(Self { folder: disk::canonical(&folder)? })
    }

    /// Returns the directories of the toolchain's programs.
    pub(super) fn path(&self) -> Vec<PathBuf> {
        vec![self.folder.join("usr/bin"), self.root().join("bin")]
    }

    /// Returns the environment variables for the toolchain, which disable downloads.
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
