//! Python and npm packages of a test suite, installed below the target directory.

use crate::{Repository, disk, programs};
use anyhow::{Context, Result};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

/// File in a suite that lists its Python packages.
const PYTHON: &str = "requirements.txt";
/// File in a suite that lists its npm packages.
const NODE: &str = "package.json";
/// Copy of the package list from which the packages were installed last.
const STAMP: &str = "installed";

/// Installs the packages of a suite again if its lists changed; returns the environment variables with the
/// paths of the packages.
pub(crate) fn install(house: &Repository, suite: &Path) -> Result<Vec<(&'static str, OsString)>> {
    let name = suite.file_name().context("the suite's directory has no name")?;
    let tools = house.target().join("test-tools").join(name);
    disk::make_folder(&tools)?;
    let mut variables = vec![("TOOLS", tools.clone().into_os_string())];
    let python = tools.join("python");
    if once(&suite.join(PYTHON), &python, |list| packages(list, &python))? {
        variables.push(("PYTHON", python.join("bin").join("python").into_os_string()));
    }
    let node = tools.join("node");
    if once(&suite.join(NODE), &node, |list| modules(list, &node))? {
        variables.push(("NODE_MODULES", node.join("node_modules").into_os_string()));
    }
    Ok(variables)
}

/// Runs `install` unless the packages of the same list are installed; returns whether the list exists.
fn once(list: &Path, folder: &Path, install: impl FnOnce(&PathBuf) -> Result<()>) -> Result<bool> {
    if !disk::exists(list) {
        return Ok(false);
    }
    let wanted = disk::read(list)?;
    let stamp = folder.join(STAMP);
    if disk::read(&stamp).ok().as_ref() != Some(&wanted) {
        disk::remove_folder(folder)?;
        disk::make_folder(folder)?;
        install(&list.to_owned())?;
        disk::write(&stamp, wanted.as_bytes())?;
    }
    Ok(true)
}

fn packages(list: &Path, folder: &Path) -> Result<()> {
    programs::output(programs::program("python3").args(["-m", "venv"]).arg(folder))?;
    let python = folder.join("bin").join("python");
    let arguments = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"];
    programs::output(programs::program(python).args(arguments).arg(list)).map(drop)
}

fn modules(list: &Path, folder: &Path) -> Result<()> {
    disk::write(&folder.join(NODE), disk::read(list)?.as_bytes())?;
    let lock = list.with_file_name("package-lock.json");
    if disk::exists(&lock) {
        disk::write(&folder.join("package-lock.json"), disk::read(&lock)?.as_bytes())?;
    }
    let arguments = ["install", "--no-audit", "--no-fund", "--loglevel=error"];
    programs::output(programs::program("npm").args(arguments).current_dir(folder)).map(drop)
}
