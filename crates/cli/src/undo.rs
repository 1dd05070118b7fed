//! `toolpost undo`: reverts a recorded change.

use crate::{args::Undo, history, workspace};
use anyhow::{Result, bail};
use std::{process::ExitCode, time::Duration};
use toolpost::{settings::Flags, settings::Settings};
use toolpost_engine::Access;
use toolpost_workspace::{Cause, ChangeReport, Outcome, PathLockError, UndoError, UndoReport, unique};

/// Time to wait for files that another call is changing.
const WAIT: Duration = Duration::from_secs(10);

/// Reverts a recorded change: the one that the user names, or the last that is not undone.
pub(crate) fn run(flags: &Flags, args: Undo) -> Result<ExitCode> {
    let settings = Settings::of_user(flags.clone())?;
    if settings.denied().contains(&Access::Writes) {
        bail!("cannot undo: writing is disabled by `read_only` or `deny = [\"write\"]`");
    }
    let workspace = workspace::open_and_report(&settings)?;
    let history = history::of(&workspace, &settings)?;
    let found = match &args.change {
        Some(id) => history.find(id),
        None => history.last_in_force(),
    };
    let record = match found {
        Ok(record) => record,
        Err(error) => return Ok(crate::out::failed(&history::not_found(&error))),
    };
    let cause = Cause { call: unique(), tool: "undo".to_owned(), ..Cause::default() };
    match history.undo(&record, &cause, WAIT) {
        Ok(undone) => {
            crate::out::line(&summary(&undone))?;
            let notes = undone.notes.iter().chain(&undone.committed.notes);
            notes.for_each(|note| eprintln!("toolpost: {note}"));
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            let next = next(&error, &record.id);
            let older = match args.change {
                None => " `toolpost undo ID` undoes an older change; `toolpost history` lists the changes.",
                Some(_) => "",
            };
            Ok(crate::out::failed(&format!("{error}. {next}{older}")))
        }
    }
}

fn summary(undone: &UndoReport) -> String {
    let mut lines = vec![format!("Undone: {}", history::name(&undone.record))];
    lines.extend(undone.committed.changes.iter().filter_map(line));
    lines.join("\n")
}

fn line(change: &ChangeReport) -> Option<String> {
    let done = match &change.outcome {
        Outcome::NoChange => return None,
        Outcome::Created => "recreated".to_owned(),
        Outcome::Replaced => "restored".to_owned(),
        Outcome::Deleted => "removed".to_owned(),
        Outcome::MadeDirectory => "directory recreated".to_owned(),
        Outcome::Moved { to } => format!("moved back to {to}"),
    };
    Some(format!("  {}: {done}", change.path))
}

fn next(error: &UndoError, id: &str) -> String {
    match error {
        UndoError::Changed { .. } | UndoError::NotKept { .. } => {
            format!("`toolpost diff {id}` shows what to revert by hand.")
        }
        UndoError::NotSealed { .. } => {
            format!("`toolpost diff {id}` shows the recorded change.")
        }
        UndoError::Outside { place, .. } => {
            format!("To include {place}, pass a directory that contains it with --root.")
        }
        UndoError::Already { by, .. } => {
            format!("To redo the change, run `toolpost undo {by}`.")
        }
        UndoError::NotHeld(PathLockError::Busy { .. }) => "Nothing was changed; try again.".to_owned(),
        UndoError::NotHeld(PathLockError::TooMany { .. }) => "Nothing was changed.".to_owned(),
        UndoError::Commit(error) if error.aftermath.is_empty() => "Nothing was changed.".to_owned(),
        UndoError::Commit(_) => "Some files could not be reverted; the message above lists them.".to_owned(),
    }
}
