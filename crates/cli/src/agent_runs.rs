//! Earlier runs of agents: `toolpost agent list`, and the lookup for `--resume`.

use crate::{args::AgentList, out, time, workspace};
use anyhow::{Context, Result, bail};
use serde_json::json;
use std::{path::Path, process::ExitCode, time::UNIX_EPOCH};
use toolpost::settings::Settings;
use toolpost_agent::{RunHeader, Transcript, TranscriptEntry};
use toolpost_text::cut;
use toolpost_text::plural::counted;

/// Error text for a missing state directory.
pub(crate) const NO_STATE: &str =
    "there are no transcripts without a state directory: set one with --state DIR";
/// Value of `--resume` for the latest run.
const LAST: &str = "last";
/// Maximum length of a task in the list, in characters.
const SHOWN: usize = 60;

/// Finds an earlier run by its id or a unique prefix of it; `last` means the latest run in this workspace.
pub(crate) fn find(settings: &Settings, word: &str) -> Result<RunHeader> {
    let state = settings.state.value.as_deref().context(NO_STATE)?;
    if word == LAST {
        let here = here(settings)?;
        let mut listed = Transcript::list(state)?.into_iter().filter(|work| work.run.began.roots == here);
        let latest = listed.next().with_context(|| {
            format!(
                "there are no earlier runs in {}; `toolpost agent list --all` lists the runs in other \
                 directories",
                here.join(", ")
            )
        })?;
        return Ok(latest.run.began);
    }
    match Transcript::read(state, word) {
        Ok(kept) => Ok(RunHeader { id: word.to_owned(), ..kept.began }),
        Err(error) => by_beginning(state, word)?.ok_or(error.into()),
    }
}

fn by_beginning(state: &Path, word: &str) -> Result<Option<RunHeader>> {
    let mut fitting: Vec<RunHeader> = Transcript::list(state)?
        .into_iter()
        .map(|work| work.run.began)
        .filter(|began| !word.is_empty() && began.id.starts_with(word))
        .collect();
    if fitting.len() > 1 {
        let ids: Vec<&str> = fitting.iter().map(|began| began.id.as_str()).collect();
        bail!("`{word}` is ambiguous; matching ids: {}", ids.join(", "));
    }
    Ok(fitting.pop())
}

/// Prints earlier runs, newest first.
pub(crate) fn list(settings: &Settings, args: &AgentList) -> Result<ExitCode> {
    let state = settings.state.value.as_deref().context(NO_STATE)?;
    let mut works = Transcript::list(state)?;
    let total = works.len();
    if !args.all {
        let here = here(settings)?;
        works.retain(|work| work.run.began.roots == here);
    }
    let elsewhere = total - works.len();
    works.truncate(args.limit as usize);
    if args.json {
        let list: Vec<_> = works.iter().map(as_json).collect();
        out::line(&serde_json::to_string_pretty(&list)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    for work in &works {
        out::line(&out::harmless(&line(work, args.all)))?;
    }
    let more = match elsewhere {
        0 => String::new(),
        1 => "1 more run in another directory; --all lists it.".to_owned(),
        more => format!("{} in other directories; --all lists them.", counted(more as u64, "more run")),
    };
    if works.is_empty() {
        out::line(format!("There are no earlier runs in this directory. {more}").trim_end())?;
    } else if !more.is_empty() {
        eprintln!("{more}");
    }
    Ok(ExitCode::SUCCESS)
}

fn here(settings: &Settings) -> Result<Vec<String>> {
    let workspace = workspace::open_and_report(settings)?;
    Ok(workspace.roots().iter().map(toolpost_workspace::Root::shown).collect())
}

fn line(work: &TranscriptEntry, roots: bool) -> String {
    let began = &work.run.began;
    let task = began.task.split_whitespace().collect::<Vec<_>>().join(" ");
    let (shown, more) = cut::line(&task, SHOWN);
    let more = if more == 0 { "" } else { "…" };
    let place = if roots { format!("  {}", began.roots.join(", ")) } else { String::new() };
    // `turns` counts answers of the model: a request that failed has none.
    let answers = format!("after {}", counted(work.run.turns as u64, "answer"));
    let model = &began.model;
    format!("{}  {}  {:<12} {answers}  {model}  {shown}{more}{place}", began.id, moment(work), ended(work))
}

fn as_json(work: &TranscriptEntry) -> serde_json::Value {
    let began = &work.run.began;
    json!({
        "id": began.id,
        "time": moment(work),
        "ended": ended(work),
        "turns": work.run.turns,
        "model": began.model,
        "dialects": began.dialects,
        "roots": began.roots,
        "task": began.task,
    })
}

fn moment(work: &TranscriptEntry) -> String {
    let since = work.time.duration_since(UNIX_EPOCH).unwrap_or_default();
    time::shown(u64::try_from(since.as_micros()).unwrap_or(u64::MAX))
}

/// Returns the stop reason, which the list shows before the number of answers. A run without a stop reason was killed,
/// or is still running.
fn ended(work: &TranscriptEntry) -> &'static str {
    work.run.ended.as_ref().map_or("not ended", toolpost_agent::Reason::word)
}
