//! `toolpost history`: recorded changes, newest first.

use crate::{args::History as Args, out::Colours, time, workspace};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::{collections::HashSet, process::ExitCode};
use toolpost::{settings::Flags, settings::Settings};
use toolpost_text::plural::counted;
use toolpost_workspace::{
    ChangeKind, Content, DiffBody, FileDiff, FindError, History, HistoryRecord, Seal, Workspace,
};

/// Maximum number of file names in a line.
const NAMED: usize = 5;

/// Prints the recorded changes, newest first.
pub(crate) fn run(flags: &Flags, args: Args) -> Result<ExitCode> {
    let settings = Settings::of_user(flags.clone())?;
    let workspace = workspace::open_and_report(&settings)?;
    let history = of(&workspace, &settings)?;
    let path_argument = args.path.clone();
    let path = args.path.map(|path| workspace.resolve_entry(&path)).transpose()?;
    // The records come newest first, so `seen` also contains the undo of each listed change.
    let mut seen: Vec<HistoryRecord> = Vec::new();
    let mut shown = Vec::new();
    let mut total = 0;
    for record in history.records() {
        let fits = path.as_ref().is_none_or(|path| record.touches(path));
        total += usize::from(fits);
        if shown.len() == args.limit as usize {
            continue;
        }
        if fits {
            shown.push(record.clone());
        }
        seen.push(record);
    }
    let undone = History::undone(&seen);
    if args.json {
        let list: Vec<Value> =
            shown.iter().map(|record| as_json(&workspace, &history, record, &undone)).collect();
        crate::out::line(&serde_json::to_string_pretty(&list)?)?;
    } else if shown.is_empty() {
        let of = path_argument.filter(|_| !seen.is_empty());
        crate::out::line(&of.map_or("No changes are recorded in this workspace.".to_owned(), |path| {
            format!(
                "No changes to {path} are recorded; the history has {} to other files.",
                counted(seen.len() as u64, "change")
            )
        }))?;
    }
    let colours = Colours::of(&std::io::stdout());
    for record in shown.iter().filter(|_| !args.json) {
        crate::out::line(&as_line(&history, record, &undone, colours))?;
    }
    if total > shown.len() && !args.json {
        eprintln!("toolpost: {} of {total} changes are shown; pass a larger --limit for more", shown.len());
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the history, or an error with the reason why there is none.
pub(crate) fn of<'w>(workspace: &'w Workspace, settings: &Settings) -> Result<History<'w>> {
    let why = if settings.history_mb.value == 0 {
        "there is no history: the setting `history_mb` is 0"
    } else {
        "there is no history without a state directory; see `toolpost doctor`"
    };
    workspace.history().context(why)
}

/// Formats the error for a change that was not found, with the command that lists the changes.
pub(crate) fn not_found(error: &FindError) -> String {
    match error {
        FindError::Empty => error.to_string(),
        FindError::Unknown { .. } | FindError::Several { .. } => {
            format!("{error}; `toolpost history` lists the changes")
        }
    }
}

/// Formats a change as id, tool and time.
pub(crate) fn name(record: &HistoryRecord) -> String {
    format!("{} ({}, {})", record.id, tool(record), time::shown(record.time))
}

fn as_line(
    history: &History<'_>,
    record: &HistoryRecord,
    undone: &HashSet<String>,
    colours: Colours,
) -> String {
    let (diffs, more) = history.diff_first(record, NAMED);
    let files: Vec<String> = diffs.iter().map(|file| of_file(file, colours)).collect();
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    let mark = match &record.cause.undoes {
        _ if record.seal != Seal::Valid => " [record not trusted: cannot be undone]".to_owned(),
        _ if undone.contains(&record.id) => " [undone]".to_owned(),
        Some(id) => format!(" [undoes {id}]"),
        None => String::new(),
    };
    let id = colours.paint(&record.id, "33");
    let time = colours.paint(&time::shown(record.time), "2");
    let tool = colours.paint(&format!("{:<12}", tool(record)), "36");
    format!("{id}  {time}  {tool} {}{more}{mark}", files.join(", "))
}

fn tool(record: &HistoryRecord) -> &str {
    if record.cause.tool.is_empty() { "-" } else { &record.cause.tool }
}

fn of_file(file: &FileDiff, colours: Colours) -> String {
    let path = file.to.as_ref().map_or_else(|| file.path.clone(), |to| format!("{} -> {to}", file.path));
    let lines = match &file.shown {
        DiffBody::Text(diff) => format!(
            " {} {}",
            colours.paint(&format!("+{}", diff.added), "32"),
            colours.paint(&format!("-{}", diff.removed), "31")
        ),
        DiffBody::Words(_) => String::new(),
    };
    let word = match file.what {
        ChangeKind::Written | ChangeKind::Moved => "",
        ChangeKind::Created => " (new)",
        ChangeKind::Deleted | ChangeKind::DeletedTree | ChangeKind::DeletedEmpty => " (deleted)",
        ChangeKind::MadeDirectory => " (directory)",
    };
    format!("{path}{lines}{word}")
}

fn as_json(
    workspace: &Workspace,
    history: &History<'_>,
    record: &HistoryRecord,
    undone: &HashSet<String>,
) -> Value {
    let changes: Vec<Value> = record
        .changes
        .iter()
        .map(|change| {
            json!({
                "what": change.what,
                "path": change.path(workspace),
                "to": change.to(workspace),
                "before": change.before.as_ref().map(content),
                "after": change.after.as_ref().map(content),
            })
        })
        .collect();
    let lines = |file: &FileDiff| match &file.shown {
        DiffBody::Text(diff) => json!({ "path": file.path, "added": diff.added, "removed": diff.removed }),
        DiffBody::Words(words) => json!({ "path": file.path, "said": words }),
    };
    json!({
        "id": record.id,
        "time": time::shown(record.time),
        "call": record.cause.call,
        "tool": record.cause.tool,
        "session": record.cause.session,
        "undoes": record.cause.undoes,
        "undone": undone.contains(&record.id),
        "seal": record.seal,
        "changes": changes,
        "files": history.diff(record).iter().map(lines).collect::<Vec<_>>(),
    })
}

fn content(content: &Content) -> Value {
    json!({
        "sort": content.sort,
        "hash": content.hash,
        "bytes": content.bytes,
        "mode": content.mode.map(|mode| format!("{mode:04o}")),
        "lost": content.lost,
    })
}
