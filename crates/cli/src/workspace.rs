//! Opens the workspace for a command.

use anyhow::Result;
use toolpost::{Settings, parts};
use toolpost_workspace::Workspace;

/// Opens the workspace for a command, and prints the recovery report.
pub(crate) fn open_and_report(settings: &Settings) -> Result<Workspace> {
    let (workspace, recovery) = parts::workspace(settings)?;
    recovery.lines().iter().for_each(|line| eprintln!("toolpost: {line}"));
    Ok(workspace)
}
