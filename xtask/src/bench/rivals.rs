//! The other programs: what is installed, and what cannot be compared with here.

use crate::{disk, programs, say};
use anyhow::Result;
use std::path::{Path, PathBuf};

/// The npm package, and the version that is measured.
const PACKAGE: &str = "@modelcontextprotocol/server-filesystem";
const VERSION: &str = "2026.8.31";

/// The other programs.
pub(super) struct Rivals {
    /// The name under which ripgrep is installed.
    pub(super) rg: Option<&'static str>,
    /// The name under which fd is installed.
    pub(super) fd: Option<&'static str>,
    /// The npm server's program.
    pub(super) node_server: Option<PathBuf>,
    missing: Vec<String>,
}

impl Rivals {
    /// Finds them; the npm server is installed into the folder on first use.
    pub(super) fn find(folder: &Path) -> Result<Self> {
        let mut missing = Vec::new();
        let rg = ["rg"].into_iter().find(|name| programs::is_there(name));
        let fd = ["fd", "fdfind"].into_iter().find(|name| programs::is_there(name));
        if rg.is_none() {
            missing.push("rg is not installed: grep is measured alone (Debian: ripgrep)".to_owned());
        }
        if fd.is_none() {
            missing.push("fd is not installed: glob is measured alone (Debian: fd-find)".to_owned());
        }
        let node_server = match node_server(folder) {
            Ok(server) => Some(server),
            Err(error) => {
                missing.push(format!("{PACKAGE} could not be installed: {error:#}"));
                None
            }
        };
        missing.iter().for_each(|name| say::complain(&format!("SKIPPED: {name}")));
        Ok(Self { rg, fd, node_server, missing })
    }

    /// Names what could not be compared with.
    pub(super) fn missing(&self) -> &[String] {
        &self.missing
    }

    /// Names what was compared with, each with its version.
    pub(super) fn versions(&self) -> Vec<String> {
        let first_line = |name: &str| {
            let printed = programs::output(programs::program(name).arg("--version")).unwrap_or_default();
            printed.lines().next().unwrap_or_default().to_owned()
        };
        let mut versions: Vec<String> = [self.rg, self.fd].into_iter().flatten().map(first_line).collect();
        if self.node_server.is_some() {
            versions.push(format!("{PACKAGE} {VERSION} on node {}", first_line("node")));
        }
        versions
    }
}

fn node_server(folder: &Path) -> Result<PathBuf> {
    let place = folder.join("npm");
    let server = place.join("node_modules").join(PACKAGE).join("dist").join("index.js");
    if !disk::exists(&server) {
        disk::make_folder(&place)?;
        let mut npm = programs::program("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]).arg(&place);
        programs::output(npm.arg(format!("{PACKAGE}@{VERSION}")))?;
    }
    Ok(server)
}
