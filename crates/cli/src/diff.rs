//! `toolpost diff`: a recorded change as a unified diff.

use crate::{args::Diff, history, out::Colours, workspace};
use anyhow::Result;
use std::{
    io::{IsTerminal, stdout},
    process::ExitCode,
};
use toolpost::{settings::Flags, settings::Settings};
use toolpost_workspace::{FileDiff, FindError};

/// Prints a recorded change as a unified diff: the one that the user names, or the last.
pub(crate) fn run(flags: &Flags, args: Diff) -> Result<ExitCode> {
    let settings = Settings::of_user(flags.clone())?;
    let workspace = workspace::open_and_report(&settings)?;
    let history = history::of(&workspace, &settings)?;
    let found = match &args.change {
        Some(id) => history.find(id),
        None => history.last(),
    };
    let record = match found {
        Ok(record) => record,
        Err(FindError::Empty) => return Ok(crate::out::failed("the history of this workspace is empty")),
        Err(error) => return Ok(crate::out::failed(&history::not_found(&error))),
    };
    let text: String = history.diff(&record).iter().map(FileDiff::unified).collect();
    // File content must not control the terminal.
    let text = if stdout().is_terminal() { crate::out::harmless(&text) } else { text };
    crate::out::line(&Colours::of(&stdout()).paint_diff(text.trim_end_matches('\n')))?;
    Ok(ExitCode::SUCCESS)
}
