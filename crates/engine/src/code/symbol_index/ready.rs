//! Bounded wait for an index that is being built: a direct look at the files that can contain the answer, and
//! progress reports to the caller.

use crate::{
    call::CallCtx,
    failure::{Failure, Hint, Kind},
    find::Find,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    collections::HashMap,
    time::{Duration, Instant},
};
use tokio::task::JoinHandle;
use toolpost_index::{self as symbols, ranked};
use toolpost_search::{Control, with_terms};
use toolpost_text::counted::counted;
use toolpost_workspace::WorkspacePath;

/// The shares of the wait after which the first reading in path order, the search for files that can answer, and the
/// reading of these files end. The rest is for the answer itself.
const READING: f64 = 0.1;
const LOOK: f64 = 0.5;
const END: f64 = 0.9;
/// The minimum time for the search, and for the reading of the files that it finds, however long the scan of the
/// workspace took.
const LEAST: Duration = Duration::from_millis(200);
/// The maximum number of files that are read first.
const FIRST: usize = 3_000;
/// The share of the remaining time of a call that it may wait.
const SHARE: f64 = 0.4;
/// The delay before the first progress report to a caller that waits for an index, and the interval between
/// reports.
const QUIET: Duration = Duration::from_millis(300);
const PACE: Duration = Duration::from_millis(500);

/// The subject of a question to an index: the files that can answer it are read first.
#[derive(Debug, Clone, Default)]
pub(crate) struct About {
    /// Names, or words of names.
    pub(crate) names: Vec<String>,
    /// Files that the question names.
    pub(crate) paths: Vec<WorkspacePath>,
    /// The directory that contains the answer; the whole workspace if none.
    pub(crate) base: Option<WorkspacePath>,
}

/// The files that a call read directly, because an incomplete index did not cover them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DirectLook {
    /// Number of files outside the index that contain what was asked for.
    pub containing: usize,
    /// Number of them that were read for this answer.
    pub read: usize,
    /// Number of files outside the index that were not searched, because there was no time.
    pub unsearched: usize,
}

/// An index that can answer before it is complete.
pub(crate) trait Partial {
    type Lent<'i>
    where
        Self: 'i;
    type Trouble;

    fn lend_within<'i>(
        &'i self,
        patience: &ranked::Patience<'_>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self::Lent<'i>, Self::Trouble>;

    /// Lists the files that are not read yet.
    fn waiting<'l>(lent: &'l Self::Lent<'_>) -> &'l [WorkspacePath];
}

impl Partial for symbols::Index {
    type Lent<'i> = symbols::Lent<'i>;
    type Trouble = symbols::Trouble;

    fn lend_within<'i>(
        &'i self,
        patience: &ranked::Patience<'_>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<symbols::Lent<'i>, symbols::Trouble> {
        self.graph_within(patience, stop)
    }

    fn waiting<'l>(lent: &'l symbols::Lent<'_>) -> &'l [WorkspacePath] {
        lent.waiting()
    }
}

impl Partial for ranked::Index {
    type Lent<'i> = ranked::Lent<'i>;
    type Trouble = ranked::Trouble;

    fn lend_within<'i>(
        &'i self,
        patience: &ranked::Patience<'_>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<ranked::Lent<'i>, ranked::Trouble> {
        self.lend_within(patience, stop)
    }

    fn waiting<'l>(lent: &'l ranked::Lent<'_>) -> &'l [WorkspacePath] {
        lent.waiting()
    }
}

/// The time that a call may wait for an index.
#[derive(Clone, Copy)]
pub(crate) struct Wait {
    began: Instant,
    whole: Duration,
}

impl Wait {
    /// Starts a wait of at most `limit`, and of at most a share of the call's remaining time.
    pub(crate) fn start(limit: Duration, cx: &CallCtx) -> Self {
        let whole = limit.min(cx.time_left(Duration::from_secs(600)).mul_f64(SHARE));
        Self { began: Instant::now(), whole }
    }

    /// Returns the wait with a share of its time.
    pub(crate) fn share(self, share: f64) -> Self {
        Self { whole: self.whole.mul_f64(share), ..self }
    }

    /// Returns the end of the wait.
    pub(crate) fn end(self) -> Instant {
        self.at(1.0)
    }

    fn at(self, share: f64) -> Instant {
        self.began + self.whole.mul_f64(share)
    }

    /// Returns the time at a share of the wait, or later if the minimum has not passed since now.
    fn at_least(self, share: f64) -> Instant {
        self.at(share).max(Instant::now() + LEAST.min(self.whole))
    }
}

/// Lends an index at the end of the wait, or as soon as the rest of the wait cannot complete it and the files that can
/// contain the answer are read.
pub(crate) fn lend<'i, I: Partial>(
    index: &'i I,
    find: &Find,
    about: &dyn Fn() -> About,
    wait: Wait,
    cx: &CallCtx,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(I::Lent<'i>, Option<DirectLook>), I::Trouble> {
    let lent = index.lend_within(&ranked::Patience::until(wait.at(READING)), stop)?;
    if I::waiting(&lent).is_empty() {
        return Ok((lent, None));
    }
    let (about, since, before) = (about(), Instant::now(), I::waiting(&lent).len());
    let is_in = |path: &&WorkspacePath| about.base.as_ref().is_none_or(|base| base.contains(path));
    let may = |path: &&WorkspacePath| cx.may_read(path);
    let listed: Vec<WorkspacePath> = I::waiting(&lent).iter().filter(is_in).filter(may).cloned().collect();
    drop(lent);
    let cancel = cx.cancel.clone();
    let control = Control::default().cancelled_by(move || cancel.is_cancelled()).until(wait.at_least(LOOK));
    let found = with_terms(find.files().workspace(), &listed, &about.names, &control, find.grams());
    let first = about.paths.iter().chain(found.files.iter().take(FIRST));
    let mut ranks: HashMap<&WorkspacePath, usize> = HashMap::new();
    first.zip(0..).for_each(|(path, rank)| {
        ranks.entry(path).or_insert(rank);
    });
    let rank = |path: &WorkspacePath| ranks.get(path).copied();
    let end = wait.at_least(END);
    let mut lent = index.lend_within(&ranked::Patience::for_ranked(end, &rank), stop)?;
    let waiting = I::waiting(&lent);
    let (now, read) = (Instant::now(), before.saturating_sub(waiting.len()).max(1));
    let rest = (now - since).mul_f64(waiting.len() as f64 / read as f64);
    if !waiting.is_empty() && now < end && rest <= end - now {
        drop(lent);
        lent = index.lend_within(&ranked::Patience::until(end), stop)?;
    }
    let unread = I::waiting(&lent).iter().collect::<std::collections::HashSet<_>>();
    let read = found.files.iter().filter(|path| !unread.contains(path)).count();
    let look = DirectLook {
        containing: found.files.len(),
        read,
        unsearched: found.listed - found.searched.min(found.listed),
    };
    let look = (!unread.is_empty() && !about.names.is_empty()).then_some(look);
    Ok((lent, look))
}

impl DirectLook {
    /// Describes the look, without a period; `subject` is what the files contain, for example `the name`.
    #[must_use]
    pub fn words(&self, subject: &str) -> String {
        let Self { containing, read, unsearched } = *self;
        let verb = if containing == 1 { "contains" } else { "contain" };
        let files = counted(containing as u64, "file");
        let mut words = match (containing, read) {
            (0, _) if unsearched > 0 => format!("no other file is known to contain {subject}"),
            (0, _) => format!("no other file contains {subject}"),
            _ if read == containing => format!("looked directly at the {files} that {verb} {subject}"),
            _ => format!("looked directly at {read} of the {files} that {verb} {subject}"),
        };
        if unsearched > 0 {
            let files = counted(unsearched as u64, "file");
            words
                .push_str(&format!("; there was no time to search {files} for {}", subject_pronoun(subject)));
        }
        words
    }
}

/// Returns the pronoun for a subject.
fn subject_pronoun(subject: &str) -> &'static str {
    if subject.ends_with('s') { "them" } else { "it" }
}

/// Describes the progress of an incomplete index, as a sentence without its final period.
pub(crate) fn unfinished(waiting: usize, all: usize, look: Option<DirectLook>, subject: &str) -> String {
    let percent = (all - waiting.min(all)) * 100 / all.max(1);
    let mut words =
        format!("the index is {percent} % built ({waiting} of {} not read yet)", counted(all as u64, "file"));
    if let Some(look) = look {
        words.push_str(&format!("; {}", look.words(subject)));
    }
    words
}

/// Replaces a "not found" failure by one that does not claim more than is known.
pub(super) fn so_far(failure: Failure, waiting: usize, all: usize, look: Option<DirectLook>) -> Failure {
    if waiting == 0 || !matches!(failure.kind, Kind::NotFound | Kind::WrongKind) {
        return failure;
    }
    let what =
        format!("What was asked for is not found so far: {}.", unfinished(waiting, all, look, "the name"));
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
