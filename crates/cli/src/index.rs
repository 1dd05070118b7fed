//! `toolpost index`: the trigram index, which limits searches to files that can match.

use crate::{
    args::{Index as Args, IndexStatus},
    out::{self, size},
    shared_index, workspace,
};
use anyhow::{Result, bail};
use serde_json::json;
use std::{
    io::{IsTerminal, Write},
    process::ExitCode,
    time::{Duration, Instant},
};
use toolpost::{Settings, parts, settings::Flags};
use toolpost_engine::{TrigramIndex, TrigramStatus as Status};
use toolpost_text::plural::counted;
use toolpost_workspace::{Workspace, walk};

/// Exit status if there is no index, or its cache directory is not writable.
const FAILED: u8 = 1;

/// Interval between progress updates.
const TICK: Duration = Duration::from_millis(200);

/// Time without progress after which the build gives up, because the remaining files change constantly or cannot be
/// stored.
const PATIENCE: Duration = Duration::from_secs(20);

/// Action on the workspace's own index.
enum IndexAction {
    Status(IndexStatus),
    Build(IndexStatus),
    Drop,
}

/// Runs an `index` command.
pub(crate) fn run(flags: &Flags, args: Args) -> Result<ExitCode> {
    let settings = Settings::of_user(flags.clone())?;
    let args = match args {
        Args::Push(args) => return shared_index::push(&settings, &args),
        Args::Forget(args) => return shared_index::forget(&settings, &args),
        Args::Prune(args) => return shared_index::prune(&settings, &args),
        Args::Status(args) => IndexAction::Status(args),
        Args::Build(args) => IndexAction::Build(args),
        Args::Drop => IndexAction::Drop,
    };
    let workspace = workspace::open_and_report(&settings)?;
    if settings.cache.value.is_none() {
        bail!("there is no cache directory; set one with --cache DIR");
    }
    let trigrams = parts::trigrams(&settings, &workspace);
    let shared = parts::shared_index(&settings, &workspace)?;
    let is_shared = shared.is_some();
    let trigrams = match shared {
        Some(shared) => trigrams.sharing(shared),
        None => trigrams,
    };
    match args {
        IndexAction::Status(args) if is_shared => {
            trigrams.ready(&options());
            tell(&workspace, &trigrams.status(&options()), args.json)
        }
        IndexAction::Status(args) => tell(&workspace, &trigrams.compare(&options()), args.json),
        IndexAction::Build(args) => tell(&workspace, &build(&trigrams)?, args.json),
        IndexAction::Drop => {
            let bytes = trigrams.forget()?;
            out::line(&format!("Removed {} of index.", size(bytes)))?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn options() -> walk::Options {
    walk::Options::default()
}

/// Builds until no file is missing, the index is refused, or there is no more progress.
fn build(trigrams: &TrigramIndex) -> Result<Status> {
    let person = std::io::stderr().is_terminal();
    let mut hope = BuildProgress::default();
    loop {
        let began = Instant::now();
        let status = trigrams.settle(&options(), TICK);
        let took = began.elapsed();
        if person && status.files > 0 {
            let done = status.files - status.waiting;
            let bar = "█".repeat(done * 30 / status.files);
            write!(std::io::stderr(), "\r{bar:30} {done} of {} files ", status.files)?;
        }
        // Zero files may mean that the files are not counted yet, unless `settle` returned before its timeout, with
        // nothing left to do.
        let done = status.waiting == 0 && (status.files > 0 || took < TICK) && !status.working;
        if done || status.refused.is_some() || hope.is_gone(&status, took) {
            if person {
                writeln!(std::io::stderr())?;
            }
            return Ok(status);
        }
    }
}

/// Progress of a build, for the decision to give up.
#[derive(Default)]
struct BuildProgress {
    /// Smallest number of missing files so far; `None` before the first count.
    least: Option<usize>,
    /// Idle time since the last progress.
    idle: Duration,
}

impl BuildProgress {
    /// Returns whether nothing was added for longer than `PATIENCE` while no work was running.
    fn is_gone(&mut self, status: &Status, took: Duration) -> bool {
        if status.files > 0 && self.least.is_none_or(|least| status.waiting < least) {
            *self = Self { least: Some(status.waiting), idle: Duration::ZERO };
        } else if !status.working {
            self.idle += took;
        }
        self.idle > PATIENCE
    }
}

fn tell(workspace: &Workspace, status: &Status, as_json: bool) -> Result<ExitCode> {
    let roots: Vec<String> = workspace.roots().iter().map(toolpost_workspace::Root::shown).collect();
    let refused = status.refused.as_ref().map(ToString::to_string);
    if as_json {
        let report = json!({
            "roots": roots,
            "files": status.files,
            "text_bytes": status.text,
            "missing_files": status.waiting,
            "segments": status.segments,
            "index_bytes": status.bytes,
            "unkept_segments": status.unkept,
            "shared_files": status.shared,
            "shared_lost": status.lost,
            "refused": refused,
        });
        out::line(&serde_json::to_string_pretty(&report)?)?;
    } else if let Some(why) = &refused {
        out::line(&format!("no index of {}: {why}. Searches read every file.", roots.join(", ")))?;
    } else {
        let known = status.files - status.waiting;
        let share = (status.bytes * 100).checked_div(status.text).unwrap_or(0);
        out::line(&format!(
            "{}: {known} of {} files are indexed ({} of text); the index takes {} ({share} %) in {}.",
            roots.join(", "),
            status.files,
            size(status.text),
            size(status.bytes),
            counted(status.segments as u64, "segment"),
        ))?;
        if status.shared > 0 {
            out::line(&format!("The shared index covers {} of these files.", status.shared))?;
        }
        if let Some(lost) = &status.lost {
            out::line(&format!("The shared index is unavailable: {lost}."))?;
        }
        if status.waiting > 0 {
            out::line(&format!("Files not indexed yet: {}. Each search reads them.", status.waiting))?;
        }
        if status.unkept > 0 {
            out::line(
                "The cache directory is not writable, so the index is lost at exit; set another one with \
                 --cache DIR.",
            )?;
        }
    }
    let failed = refused.is_some() || status.unkept > 0;
    Ok(if failed { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_build_stops_waiting_when_indexing_is_idle() {
        let status = |files, waiting, working| Status { files, waiting, working, ..Status::default() };
        let mut hope = BuildProgress::default();
        // The first count of the files counts as progress. After it, a batch may take long while the index
        // works.
        assert!(!hope.is_gone(&status(0, 0, true), PATIENCE * 2));
        assert!(!hope.is_gone(&status(9, 9, true), PATIENCE * 2));
        assert!(!hope.is_gone(&status(9, 9, true), PATIENCE * 2));
        assert!(!hope.is_gone(&status(9, 9, false), PATIENCE));
        // The number of missing files fell, so the time without progress starts again.
        assert!(!hope.is_gone(&status(9, 3, true), PATIENCE));
        assert!(!hope.is_gone(&status(9, 3, false), PATIENCE));
        assert!(hope.is_gone(&status(9, 3, false), TICK));
    }
}
