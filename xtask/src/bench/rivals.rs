//! Programs that Toolpost is compared with: those that are installed, and those that are missing.

use crate::{disk, output, programs};
use anyhow::Result;
use std::path::{Path, PathBuf};

/// A program that is installed on first use, with its version.
struct Package {
    name: &'static str,
    version: &'static str,
}

const NODE_SERVER: Package =
    Package { name: "@modelcontextprotocol/server-filesystem", version: "2026.8.31" };
const COMMANDER: Package = Package { name: "@wonderwhy-er/desktop-commander", version: "0.2.52" };
const RUST_SERVER: Package = Package { name: "rust-mcp-filesystem", version: "0.4.5" };

/// The programs that Toolpost is compared with; `None` for a missing one.
pub(super) struct Competitors {
    /// Program name of ripgrep.
    pub(super) rg: Option<&'static str>,
    /// Program name of fd.
    pub(super) fd: Option<&'static str>,
    /// Path of the npm file server.
    pub(super) node_server: Option<PathBuf>,
    /// Path of Desktop Commander.
    pub(super) commander: Option<PathBuf>,
    /// Path of the Rust file server.
    pub(super) rust_server: Option<PathBuf>,
    missing: Vec<String>,
}

impl Competitors {
    /// Returns a value without programs, for tables that compare Toolpost with programs not listed here.
    pub(super) fn none() -> Self {
        Self {
            rg: None,
            fd: None,
            node_server: None,
            commander: None,
            rust_server: None,
            missing: Vec::new(),
        }
    }

    /// Finds only `rg`.
    pub(super) fn rg() -> Self {
        Self { rg: ["rg"].into_iter().find(|name| programs::is_there(name)), ..Self::none() }
    }

    /// Finds all competitors; the servers are installed into the directory on first use.
    pub(super) fn find(folder: &Path) -> Result<Self> {
        let mut missing = Vec::new();
        let rg = Self::rg().rg;
        let fd = ["fd", "fdfind"].into_iter().find(|name| programs::is_there(name));
        if rg.is_none() {
            missing.push("rg is not installed: grep is measured alone (Debian: ripgrep)".to_owned());
        }
        if fd.is_none() {
            missing.push("fd is not installed: glob is measured alone (Debian: fd-find)".to_owned());
        }
        let mut installed = |package: &Package, place: Result<PathBuf>| {
            place
                .map_err(|error| missing.push(format!("{} could not be installed: {error:#}", package.name)))
                .ok()
        };
        let node_server = installed(&NODE_SERVER, npm(folder, &NODE_SERVER));
        let commander = installed(&COMMANDER, npm(folder, &COMMANDER));
        let rust_server = installed(&RUST_SERVER, cargo(folder, &RUST_SERVER));
        missing.iter().for_each(|name| output::complain(&format!("SKIPPED: {name}")));
        Ok(Self { rg, fd, node_server, commander, rust_server, missing })
    }

    /// Returns a message for each program that is missing.
    pub(super) fn missing(&self) -> &[String] {
        &self.missing
    }

    /// Returns the found programs with their versions.
    pub(super) fn versions(&self) -> Vec<String> {
        let first_line = |name: &str| {
            let printed = programs::output(programs::program(name).arg("--version")).unwrap_or_default();
            printed.lines().next().unwrap_or_default().to_owned()
        };
        let mut versions: Vec<String> = [self.rg, self.fd].into_iter().flatten().map(first_line).collect();
        let servers = [
            (&self.node_server, NODE_SERVER),
            (&self.commander, COMMANDER),
            (&self.rust_server, RUST_SERVER),
        ];
        let there = servers.iter().filter(|(place, _)| place.is_some());
        versions.extend(there.map(|(_, package)| format!("{} {}", package.name, package.version)));
        if self.node_server.is_some() || self.commander.is_some() {
            versions.push(format!("node {}", first_line("node")));
        }
        versions
    }
}

/// Installs a server from npm without its install scripts, which download browsers and the like.
fn npm(folder: &Path, package: &Package) -> Result<PathBuf> {
    let place = folder.join("npm").join(package.name.rsplit('/').next().unwrap_or(package.name));
    let server = place.join("node_modules").join(package.name).join("dist").join("index.js");
    if !disk::exists(&server) {
        disk::make_folder(&place)?;
        let mut npm = programs::program("npm");
        npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]);
        programs::output(npm.arg(&place).arg(format!("{}@{}", package.name, package.version)))?;
    }
    Ok(server)
}

/// Extracts a program from an npm package that is built for this system.
pub(super) fn packed(folder: &Path, (name, version): (&str, &str), binary: &str) -> Result<PathBuf> {
    let place = folder.join("packed");
    let program = place.join(binary).join(name.rsplit('/').next().unwrap_or(name));
    if !disk::exists(&program) {
        disk::make_folder(&place)?;
        let mut npm = programs::program("npm");
        let printed = programs::output(
            npm.args(["pack", "--silent"]).arg(format!("{name}@{version}")).current_dir(&place),
        )?;
        let archive = printed.lines().last().unwrap_or_default().trim().to_owned();
        let mut tar = programs::program("tar");
        programs::output(tar.args(["xzf", &archive, "package/bin/binaries"]).current_dir(&place))?;
        let inner = format!("package/bin/binaries/{binary}.tar.gz");
        let mut tar = programs::program("tar");
        programs::output(tar.args(["xzf", &inner]).current_dir(&place))?;
    }
    Ok(program)
}

/// Builds a server from crates.io.
fn cargo(folder: &Path, package: &Package) -> Result<PathBuf> {
    let server = folder.join("bin").join(package.name);
    if !disk::exists(&server) {
        output::line(&format!("builds {} {}; this takes minutes, once", package.name, package.version));
        let mut cargo = programs::cargo();
        cargo.args(["install", "--quiet", "--locked", "--version", package.version, "--root"]).arg(folder);
        programs::output(cargo.arg(package.name))?;
    }
    Ok(server)
}
