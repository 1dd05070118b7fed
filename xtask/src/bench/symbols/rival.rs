//! Competitors of the symbol index: codegraph from npm, and universal-ctags.

use crate::{accuracy, disk, output, programs};
use anyhow::{Context, Result};
use std::{
    path::{Path, PathBuf},
    process::Command,
};

pub(super) const CODEGRAPH: &str = "codegraph";
pub(super) const CTAGS: &str = "universal-ctags (definitions only)";

/// The competitors, for one repository.
pub(super) struct SymbolCompetitors {
    /// Path of the program codegraph; `None` if it is not installed.
    pub(super) codegraph: Option<PathBuf>,
    /// Set if `ctags` and `readtags`, which queries its tag file, are installed.
    pub(super) ctags: bool,
    folder: PathBuf,
    root: PathBuf,
}

/// Returns the names and versions of the competitors.
pub(super) fn versions() -> Vec<String> {
    let [package, version] = accuracy::PEER;
    let printed = |name: &str| {
        let printed = programs::output(programs::program(name).arg("--version")).unwrap_or_default();
        printed.lines().next().unwrap_or_default().split(',').next().unwrap_or_default().to_owned()
    };
    vec![format!("{package} {version}"), printed("ctags"), format!("node {}", printed("node"))]
}

impl SymbolCompetitors {
    pub(super) fn find(folder: &Path, root: &Path) -> Result<Self> {
        let missing = |error: &anyhow::Error| output::complain(&format!("SKIPPED: codegraph: {error:#}"));
        let codegraph = accuracy::peer_program(folder).inspect_err(missing).ok();
        disk::make_folder(&folder.join("home"))?;
        let ctags = programs::is_there("ctags") && disk::exists(Path::new("/usr/bin/readtags"));
        Ok(Self { codegraph, ctags, folder: folder.to_owned(), root: root.to_owned() })
    }

    /// Creates a codegraph command.
    pub(super) fn graph(&self, words: &[&str]) -> Result<Command> {
        let mut command = programs::program(self.codegraph.as_ref().context("codegraph is not installed")?);
        command.args(words).current_dir(&self.root).env("HOME", self.folder.join("home"));
        command.env("CODEGRAPH_TELEMETRY", "0").env("CODEGRAPH_NO_DAEMON", "1");
        Ok(command)
    }

    /// Removes codegraph's data.
    pub(super) fn forget(&self) -> Result<()> {
        Ok(disk::remove_folder(&self.root.join(".codegraph"))?)
    }

    /// Returns the size of codegraph's data, in bytes.
    pub(super) fn size(&self) -> Result<u64> {
        super::size(&self.root.join(".codegraph"))
    }

    /// Returns the path of the tag file.
    pub(super) fn tag_file(&self) -> PathBuf {
        self.folder.join("tags")
    }

    /// Creates the command that indexes all files with ctags.
    pub(super) fn tags(&self) -> Command {
        let mut command = programs::program("ctags");
        command.args(["--recurse", "--languages=Python,TypeScript,Rust,C,Go", "-f"]).arg(self.tag_file());
        command.arg(".").current_dir(&self.root);
        command
    }

    /// Creates a command that queries the tag file.
    pub(super) fn read(&self, words: &[String]) -> Command {
        let mut command = programs::program("readtags");
        command.arg("-t").arg(self.tag_file()).args(words);
        command
    }
}
