//! The workspace of a command.

use anyhow::Result;
use toolpost::{assembly, settings::Settings};
use toolpost_workspace::Workspace;

/// Opens the workspace for a command, and prints the recovery report.
pub(crate) fn open_and_report(settings: &Settings) -> Result<Workspace> {
    let (workspace, recovery) = assembly::open(settings)?;
    recovery.lines().iter().for_each(|line| eprintln!("toolpost: {line}"));
    Ok(workspace)
}
