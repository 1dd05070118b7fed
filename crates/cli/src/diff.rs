//! `toolpost diff`: a recorded change as a unified diff.

use crate::{args::Diff, history, out::Colours, workspace};
use anyhow::Result;
use std::{
    io::{IsTerminal, stdout},
    process::ExitCode,
};
use toolpost::{settings::Flags, settings::Settings};
use toolpost_workspace::FileDiff;

/// Prints the diff.
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
        Err(error) => return Ok(crate::out::failed(&format!("{error}; `toolpost history` lists them"))),
    };
    let text: String = history.diff(&record).iter().map(FileDiff::unified).collect();
    // File content must not control the terminal.
    let text = if stdout().is_terminal() { crate::out::harmless(&text) } else { text };
    crate::out::line(&Colours::of(&stdout()).paint_diff(text.trim_end_matches('\n')))?;
    Ok(ExitCode::SUCCESS)
}
