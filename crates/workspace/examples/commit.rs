//! Writes files through the workspace, so that tests can watch, stop or kill a process that does.
//!
//! `commit ROOT STATE FILE CONTENT [FILE CONTENT]…`; the content `-` deletes. Only opens, and tells what was
//! recovered, if no file is named. `TOOLPOST_EXPECT=absent` refuses what exists.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use toolpost_workspace::{
    Action, Draft, Durability, Expect, Options, Scope, Workspace, ignore_file_size_signal,
};

fn main() -> ExitCode {
    match run() {
        Ok(lines) => {
            // The changes are made, whether or not somebody listens.
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
    let root = arguments.next().ok_or("name a root")?;
    let state = arguments.next().ok_or("name a state directory")?;
    let durable = std::env::var_os("TOOLPOST_DURABLE").is_some();
    let (workspace, recovery) = Workspace::open(Options {
        roots: vec![root.into()],
        state: Some(state.into()),
        home: None,
        durability: if durable { Durability::Power } else { Durability::Kill },
        scope: Scope::Careful,
    })?;
    let mut lines = recovery.lines();
    let absent = std::env::var("TOOLPOST_EXPECT").is_ok_and(|expect| expect == "absent");
    let expect = if absent { Expect::Absent } else { Expect::Any };
    let mut drafts = Vec::new();
    while let (Some(file), Some(content)) = (arguments.next(), arguments.next()) {
        let path = workspace.resolve(&file)?;
        let action = match content.as_str() {
            "-" => Action::Delete { expect },
            // Long contents do not fit into an argument: `x*5000` is five thousand lines of x.
            _ => Action::Write { bytes: expanded(&content), expect },
        };
        drafts.push(Draft { path, action });
    }
    if drafts.is_empty() {
        return Ok(lines);
    }
    let paths: Vec<_> = drafts.iter().map(|draft| draft.path.clone()).collect();
    let hold = workspace.hold(&paths, Duration::from_secs(10))?;
    lines.extend(hold.notes().iter().map(ToString::to_string));
    let committed = hold.commit(drafts, &toolpost_workspace::Cause::default())?;
    lines.extend(committed.changes.iter().map(|change| format!("{}: {:?}", change.path, change.outcome)));
    lines.extend(committed.notes.iter().map(ToString::to_string));
    Ok(lines)
}

fn expanded(content: &str) -> Vec<u8> {
    match content.split_once('*').map(|(line, times)| (line, times.parse::<usize>())) {
        Some((line, Ok(times))) => format!("{line}\n").repeat(times).into_bytes(),
        _ => content.as_bytes().to_vec(),
    }
}
