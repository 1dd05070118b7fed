//! A bounded wait for an index: the files that can hold what is asked for are read first, and the caller hears how far it is.

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

/// The part of the wait after which the files are looked for that must be read first.
const SHORT: f64 = 0.4;
/// The time for which these files are looked for, the most of the wait that this takes, how many there are at most, and how long they are read in any case.
const LOOK: Duration = Duration::from_millis(500);
const LOOK_SHARE: f64 = 0.3;
const FIRST: usize = 3_000;
const READ: Duration = Duration::from_millis(700);
/// The shortest word that tells anything of a file.
const SHORTEST: usize = 3;
/// The part of the time left for a call that it may wait.
const SHARE: f64 = 0.4;
/// When a caller first hears that an index is waited for, and how often it hears that again.
const QUIET: Duration = Duration::from_millis(300);
const PACE: Duration = Duration::from_millis(500);

/// The subject of a question to the index of symbols: the files that can answer it are read first.
#[derive(Debug, Clone, Default)]
pub(crate) struct About {
    /// Names, or words of names.
    pub(crate) names: Vec<String>,
    /// Files that are named.
    pub(crate) paths: Vec<WorkspacePath>,
    /// The directory in which the answer is; the whole workspace if none.
    pub(crate) base: Option<WorkspacePath>,
}

/// Returns the first part of the wait for an index, and all of it.
pub(crate) fn limits(code: &Code, cx: &CallCtx) -> (Duration, Duration) {
    let long = code.index_wait().min(cx.time_left(Duration::from_secs(600)).mul_f64(SHARE));
    (long.mul_f64(SHORT), long)
}

/// Returns when to stop waiting, if the files that are read first are known only now.
pub(crate) fn until(began: Instant, long: Duration) -> Instant {
    (began + long).max(Instant::now() + READ.min(long))
}

/// Lends the index of symbols at the end of the wait.
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

/// Lists files that hold one of some words, however its parts are joined.
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
    let may = cx.may_read.clone();
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
    // Without them files are read in no order that matters.
    found.map(|found| found.files.into_iter().map(|file| file.path).collect()).unwrap_or_default()
}

/// Makes a pattern of a word: the longest part of it that tells something.
fn pattern(word: &str) -> Option<String> {
    let parts = word.split(|letter: char| !letter.is_alphanumeric()).filter(|part| part.len() >= SHORTEST);
    let parts: Vec<String> = parts.map(str::to_owned).collect();
    let joined = parts.join("[^\\pL\\pN\\n]{0,3}");
    (!joined.is_empty()).then_some(joined)
}

/// The progress of an index that is not complete, as a sentence without its end.
pub(crate) fn unfinished(waiting: usize, all: usize) -> String {
    format!(
        "{waiting} of {} not read yet: the index is still being built ({} % done)",
        counted(all as u64, "file"),
        (all - waiting.min(all)) * 100 / all.max(1)
    )
}

/// Replaces a failure to find something by one that does not claim more than is known.
pub(super) fn so_far(failure: Failure, waiting: usize, all: usize) -> Failure {
    if waiting == 0 || !matches!(failure.kind, Kind::NotFound | Kind::WrongKind) {
        return failure;
    }
    let what = format!("What was asked for is not found so far: {}.", unfinished(waiting, all));
    let mut out = Failure::new(Kind::Timeout, what).hint(Hint::TryAgain);
    out.hints.extend(failure.hints);
    out
}

/// Reports to the caller that an index is waited for, until it is dropped.
pub(crate) struct WaitReport(JoinHandle<()>);

impl Drop for WaitReport {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Reports from 300 ms on how far an index is; `progress` returns how many files are read, and how many are not.
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
