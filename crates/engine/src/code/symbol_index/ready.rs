//! A bounded wait for an index: it reads first the files that can contain the answer, and reports progress
//! to the caller.

use crate::{
    call::CallCtx,
    code::Code,
    failure::{Failure, Hint, Kind},
    find::Find,
};
use std::{
    collections::HashSet,
    time::{Duration, Instant},
};
use tokio::task::JoinHandle;
use toolpost_index::{Lent, Trouble, ranked::Patience};
use toolpost_search::{Case, Control, GrepRequest, Hidden, Prune, grep::Mode};
use toolpost_text::counted::counted;
use toolpost_workspace::WorkspacePath;

/// The share of the wait after which the files to read first are searched for.
const SHORT: f64 = 0.4;
/// Limits for these files: the time to search for them, the maximum share of the wait that this takes, their
/// number, and the minimum time to read them.
const LOOK: Duration = Duration::from_millis(500);
const LOOK_SHARE: f64 = 0.3;
const FIRST: usize = 3_000;
const READ: Duration = Duration::from_millis(700);
/// The length of the shortest word worth searching for.
const SHORTEST: usize = 3;
/// The share of the remaining time of a call that it may wait.
const SHARE: f64 = 0.4;
/// The delay before the first progress report to a caller that waits for an index, and the interval between
/// reports.
const QUIET: Duration = Duration::from_millis(300);
const PACE: Duration = Duration::from_millis(500);

/// The subject of a question to the index of symbols: the files that can answer it are read first.
#[derive(Debug, Clone, Default)]
pub(crate) struct About {
    /// Names, or words of names.
    pub(crate) names: Vec<String>,
    /// Files that the question names.
    pub(crate) paths: Vec<WorkspacePath>,
    /// The directory that contains the answer; the whole workspace if none.
    pub(crate) base: Option<WorkspacePath>,
}

/// Returns the first part of the wait for an index, and the whole wait.
pub(crate) fn limits(code: &Code, cx: &CallCtx) -> (Duration, Duration) {
    let long = code.index_wait().min(cx.time_left(Duration::from_secs(600)).mul_f64(SHARE));
    (long.mul_f64(SHORT), long)
}

/// Returns when to stop waiting, if the files to read first have only just been found.
pub(crate) fn until(began: Instant, long: Duration) -> Instant {
    (began + long).max(Instant::now() + READ.min(long))
}

/// Lends the symbol index at the end of the wait.
pub(super) fn lend<'i>(
    code: &'i Code,
    about: &About,
    cx: &CallCtx,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Lent<'i>, Trouble> {
    let (began, (short, long)) = (Instant::now(), limits(code, cx));
    let index = code.index();
    let none = |_: &WorkspacePath| false;
    let lent = index.graph_within(&Patience { until: Some(began + short), first: &none }, stop)?;
    if lent.waiting().is_empty() {
        return Ok(lent);
    }
    drop(lent);
    let root = code.files().resolve(".").ok();
    let mut first = match about.base.as_ref().or(root.as_ref()) {
        Some(base) => holding(code.find(), base, &about.names, LOOK.min(long.mul_f64(LOOK_SHARE)), cx),
        None => HashSet::new(),
    };
    first.extend(about.paths.iter().cloned());
    let first = |path: &WorkspacePath| first.contains(path);
    index.graph_within(&Patience { until: Some(until(began, long)), first: &first }, stop)
}

/// Lists files that contain one of some words, with any separator between their parts.
pub(crate) fn holding(
    find: &Find,
    base: &WorkspacePath,
    words: &[String],
    time: Duration,
    cx: &CallCtx,
) -> HashSet<WorkspacePath> {
    let patterns: Vec<String> = words.iter().filter_map(|word| pattern(word)).collect();
    if patterns.is_empty() {
        return HashSet::new();
    }
    let may = cx.read_filter();
    let request = GrepRequest {
        case: Case::Insensitive,
        mode: Mode::Files,
        limit: Some(FIRST),
        hidden: Hidden::Skip,
        prune: Prune::Dependencies,
        may_read: Some(may),
        encoding: find.files().encoding(),
        ..GrepRequest::new(base.clone(), patterns.join("|"))
    };
    let cancel = cx.cancel.clone();
    let control = Control::default().cancelled_by(move || cancel.is_cancelled()).until(Instant::now() + time);
    let found = toolpost_search::grep(find.files().workspace(), &request, &control, find.grams_of(base));
    // Without them, the order of reading does not matter.
    found.map(|found| found.files.into_iter().map(|file| file.path).collect()).unwrap_or_default()
}

/// Builds a regular expression from a word: its parts that are long enough, with up to three other
/// characters between them.
fn pattern(word: &str) -> Option<String> {
    let parts = word.split(|letter: char| !letter.is_alphanumeric()).filter(|part| part.len() >= SHORTEST);
    let parts: Vec<String> = parts.map(str::to_owned).collect();
    let joined = parts.join("[^\\pL\\pN\\n]{0,3}");
    (!joined.is_empty()).then_some(joined)
}

/// Describes the progress of an incomplete index, as a sentence without its final period.
pub(crate) fn unfinished(waiting: usize, all: usize) -> String {
    format!(
        "{waiting} of {} not read yet: the index is still being built ({} % done)",
        counted(all as u64, "file"),
        (all - waiting.min(all)) * 100 / all.max(1)
    )
}

/// Replaces a "not found" failure by one that does not claim more than is known.
pub(super) fn so_far(failure: Failure, waiting: usize, all: usize) -> Failure {
    if waiting == 0 || !matches!(failure.kind, Kind::NotFound | Kind::WrongKind) {
        return failure;
    }
    let what = format!("What was asked for is not found so far: {}.", unfinished(waiting, all));
    let mut out = Failure::new(Kind::Timeout, what).hint(Hint::TryAgain);
    out.hints.extend(failure.hints);
    out
}

/// Reports to the caller that the index is being built, until it is dropped.
pub(crate) struct WaitReport(JoinHandle<()>);

impl Drop for WaitReport {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Reports the progress of an index after 300 ms; `progress` returns the numbers of files that are read and
/// not read.
pub(crate) fn report(cx: &CallCtx, progress: impl Fn() -> (usize, usize) + Send + 'static) -> WaitReport {
    let (hears, began) = (cx.progress.clone(), Instant::now());
    WaitReport(tokio::spawn(async move {
        let mut pause = QUIET;
        loop {
            tokio::time::sleep(pause).await;
            let (read, waiting) = progress();
            let words = match waiting {
                0 => "searching".to_owned(),
                _ => {
                    format!("building the index: {read} of {} read", counted((read + waiting) as u64, "file"))
                }
            };
            hears.tell(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX), &words);
            pause = PACE;
        }
    }))
}
