//! Example process that commits files, so that tests can trace, stop or kill it.
//!
//! Usage: `commit ROOT STATE FILE CONTENT [FILE CONTENT]…`. In place of `CONTENT`, `-` deletes the file, `--`
//! deletes a directory recursively, `/` creates a directory, and `>NEW` moves the file to `NEW` and replaces
//! an existing file. Without files, the program only opens the workspace and prints the report of the
//! recovery.
//!
//! Environment variables:
//!
//! - `TOOLPOST_EXPECT=absent`: fail if a file exists.
//! - `TOOLPOST_UNDO=1`: undo the last change.
//! - `TOOLPOST_HISTORY=BYTES`: size limit of the history; 0 disables the history.
//! - `TOOLPOST_DURABLE=1`: finished commits survive a power loss.
//! - `TOOLPOST_INCREMENTS=N`: add one to the number in a file N times, and print how many commits succeeded.
//! - `TOOLPOST_TIMES=N`: make N commits, each with one more dot in the content, and print the mean duration.

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use toolpost_workspace::{
    Action, Cause, Draft, Durability, Expect, HistoryLimits, Options, Overwrite, Scope, Workspace,
    ignore_file_size_signal, open_regular,
};

fn main() -> ExitCode {
    match run() {
        Ok(lines) => {
            // The changes are complete, even if the output is closed.
            let _ = writeln!(std::io::stdout(), "{}", lines.join("\n"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<Vec<String>, Box<dyn std::error::Error>> {
    ignore_file_size_signal()?;
    let mut arguments = std::env::args().skip(1);
    let root = arguments.next().ok_or("the argument ROOT is missing")?;
    let state = arguments.next().ok_or("the argument STATE is missing")?;
    let durable = std::env::var_os("TOOLPOST_DURABLE").is_some();
    let (workspace, recovery) = Workspace::open(Options {
        roots: vec![root.into()],
        state: Some(state.into()),
        home: None,
        durability: if durable { Durability::Power } else { Durability::Kill },
        scope: Scope::Careful,
        history: history()?,
    })?;
    let mut lines = recovery.lines();
    if std::env::var_os("TOOLPOST_UNDO").is_some() {
        let history = workspace.history().ok_or("the history is disabled")?;
        let record = history.last_in_force()?;
        let undone = history.undo(&record, &Cause::default(), WAIT)?;
        lines.extend(undone.committed.notes.iter().map(ToString::to_string));
        return Ok(lines);
    }
    let absent = std::env::var("TOOLPOST_EXPECT").is_ok_and(|expect| expect == "absent");
    let expect = if absent { Expect::Absent } else { Expect::Any };
    let asked: Vec<String> = arguments.collect();
    if let Ok(times) = std::env::var("TOOLPOST_INCREMENTS") {
        return increments(&workspace, &asked[0], times.parse()?);
    }
    let times = std::env::var("TOOLPOST_TIMES").map_or(Ok(1), |times| times.parse::<usize>())?;
    let start = Instant::now();
    for time in 0..times {
        let drafts = drafts(&workspace, &asked, expect, time)?;
        if drafts.is_empty() {
            return Ok(lines);
        }
        lines.extend(commit(&workspace, drafts)?);
    }
    if times > 1 {
        lines = vec![format!("{} us each", start.elapsed().as_micros() / times as u128)];
    }
    Ok(lines)
}

/// Tries `times` times to add one to the number in a file. Returns how many commits succeeded.
fn increments(
    workspace: &Workspace,
    name: &str,
    times: usize,
) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let mut done = 0;
    for _ in 0..times {
        let path = workspace.resolve(name)?;
        let read = open_regular(path.root(), path.relative())?.snapshot(1024)?;
        let number: u64 = std::str::from_utf8(&read.bytes)?.parse()?;
        let action =
            Action::Write { bytes: (number + 1).to_string().into(), expect: Expect::Hash(read.hash) };
        let hold = workspace.hold(std::slice::from_ref(&path), WAIT)?;
        done += usize::from(hold.commit(vec![Draft { path, action }], &Cause::default()).is_ok());
    }
    Ok(vec![done.to_string()])
}

fn drafts(
    workspace: &Workspace,
    asked: &[String],
    expect: Expect,
    time: usize,
) -> Result<Vec<Draft>, Box<dyn std::error::Error>> {
    let mut drafts = Vec::new();
    for pair in asked.chunks_exact(2) {
        let path = workspace.resolve_entry(&pair[0])?;
        let action = match pair[1].as_str() {
            "-" => Action::Delete { expect },
            "--" => Action::DeleteTree,
            "/" => Action::MakeDirectory,
            content => match content.strip_prefix('>') {
                Some(to) => Action::Move { to: workspace.resolve_entry(to)?, overwrite: Overwrite::Replace },
                // Long contents do not fit into an argument, so `x*5000` stands for 5,000 lines of `x`.
                None => Action::Write { bytes: [expanded(content), vec![b'.'; time]].concat(), expect },
            },
        };
        drafts.push(Draft { path, action });
    }
    Ok(drafts)
}

fn commit(workspace: &Workspace, drafts: Vec<Draft>) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let mut paths: Vec<_> = drafts.iter().map(|draft| draft.path.clone()).collect();
    paths.extend(drafts.iter().filter_map(|draft| match &draft.action {
        Action::Move { to, .. } => Some(to.clone()),
        _ => None,
    }));
    let hold = workspace.hold(&paths, WAIT)?;
    let mut lines: Vec<String> = hold.notes().iter().map(ToString::to_string).collect();
    let committed = hold.commit(drafts, &Cause::default())?;
    lines.extend(committed.changes.iter().map(|change| format!("{}: {:?}", change.path, change.outcome)));
    lines.extend(committed.notes.iter().map(ToString::to_string));
    Ok(lines)
}

fn history() -> Result<HistoryLimits, std::num::ParseIntError> {
    let limits = HistoryLimits::default();
    let bytes = std::env::var("TOOLPOST_HISTORY").map_or(Ok(limits.bytes), |bytes| bytes.parse())?;
    Ok(HistoryLimits { bytes, ..limits })
}

const WAIT: Duration = Duration::from_secs(10);

fn expanded(content: &str) -> Vec<u8> {
    match content.split_once('*').map(|(line, times)| (line, times.parse::<usize>())) {
        Some((line, Ok(times))) => format!("{line}\n").repeat(times).into_bytes(),
        _ => content.as_bytes().to_vec(),
    }
}
