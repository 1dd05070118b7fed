//! Bounded wait for an index that is being built.
//!
//! The files that can contain the answer are read first, and the caller gets progress reports.

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
use toolpost_index_lifecycle::{PartialIndex, Patience, UpdateError};
use toolpost_search::{Control, with_terms};
use toolpost_text::plural::counted;
use toolpost_workspace::WorkspacePath;

/// The share of the wait in which the index reads files in the order of their paths.
const READING: f64 = 0.1;
/// The share of the wait after which the search for files that can contain the answer ends.
const LOOK: f64 = 0.5;
/// The share of the wait after which the reading of files that can contain the answer ends. The rest is for
/// the answer itself.
const END: f64 = 0.9;
/// The minimum time for the search for files that can contain the answer, and the minimum time for reading
/// these files, even if the scan of the workspace took most of the wait.
const LEAST: Duration = Duration::from_millis(200);
/// The maximum number of files that are read before all others, because they can contain the answer.
const FIRST: usize = 3_000;
/// The maximum share of a call's remaining time for which the call waits for the index.
const SHARE: f64 = 0.4;
/// The delay before the first progress report to a waiting caller.
const QUIET: Duration = Duration::from_millis(300);
/// The interval between progress reports.
const PACE: Duration = Duration::from_millis(500);

/// The names, files and directory that a query is about. The index reads the files that can contain the answer first.
#[derive(Debug, Clone, Default)]
pub(crate) struct About {
    /// Names, or words of names, that the answer contains.
    pub(crate) names: Vec<String>,
    /// Files that the query names.
    pub(crate) paths: Vec<WorkspacePath>,
    /// The directory to which the query is restricted; `None` for the whole workspace.
    pub(crate) base: Option<WorkspacePath>,
}

/// Counts of the files that an incomplete index did not cover when a call used it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DirectLook {
    /// Number of files outside the index that contain the requested names.
    pub containing: usize,
    /// Number of files that contain the names and were read.
    pub read: usize,
    /// Number of files outside the index that were not searched, because there was no time.
    pub unsearched: usize,
}

/// The time that a call may wait for an index.
#[derive(Clone, Copy)]
pub(crate) struct Wait {
    began: Instant,
    whole: Duration,
}

impl Wait {
    /// Starts a wait of at most `limit`, and of at most a share of the call's remaining time. The wait also
    /// ends at the time after which no operation of the call may wait (`index_wait_end`).
    pub(crate) fn start(limit: Duration, cx: &CallCtx) -> Self {
        let (began, whole) =
            (Instant::now(), limit.min(cx.time_left(Duration::from_secs(600)).mul_f64(SHARE)));
        let whole = cx.index_wait_end.map_or(whole, |end| whole.min(end.saturating_duration_since(began)));
        Self { began, whole }
    }

    /// Returns a wait with the same start and `share` times the duration.
    pub(crate) fn share(self, share: f64) -> Self {
        Self { whole: self.whole.mul_f64(share), ..self }
    }

    /// Returns a wait that starts now and lasts `share` times the remaining time.
    pub(crate) fn rest(self, share: f64) -> Self {
        let now = Instant::now();
        Self { began: now, whole: self.end().saturating_duration_since(now).mul_f64(share) }
    }

    /// Returns true if the wait is over.
    pub(crate) fn is_over(self) -> bool {
        Instant::now() >= self.end()
    }

    pub(crate) fn end(self) -> Instant {
        self.at(1.0)
    }

    fn at(self, share: f64) -> Instant {
        self.began + self.whole.mul_f64(share)
    }

    /// Returns the time at which `share` of the wait has passed, or `LEAST` from now if that is later. If the
    /// whole wait is shorter than `LEAST`, its duration is used instead of `LEAST`.
    fn at_least(self, share: f64) -> Instant {
        self.at(share).max(Instant::now() + LEAST.min(self.whole))
    }
}

/// Waits for an index and locks it for reading.
///
/// The wait ends when the index is complete or the time is over. It also ends when the files that can contain
/// the answer are read and the rest of the time is too short for the other files. The second result counts
/// the files that the index does not cover; it is `None` if the index is complete or the query contains no
/// names.
pub(crate) fn lend<'i, I: PartialIndex>(
    index: &'i I,
    find: &Find,
    about: &dyn Fn() -> About,
    wait: Wait,
    cx: &CallCtx,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(I::Guard<'i>, Option<DirectLook>), UpdateError> {
    let lent = index.lend_within(&Patience::until(wait.at(READING)), stop)?;
    if I::waiting(&lent).is_empty() {
        return Ok((lent, None));
    }
    let (about, since, before) = (about(), Instant::now(), I::waiting(&lent).len());
    let is_in = |path: &&WorkspacePath| about.base.as_ref().is_none_or(|base| base.contains(path));
    let listed: Vec<WorkspacePath> = I::waiting(&lent).iter().filter(is_in).cloned().collect();
    drop(lent);
    let cancel = cx.cancel.clone();
    let control = Control::default().cancelled_by(move || cancel.is_cancelled()).until(wait.at_least(LOOK));
    let mut found = with_terms(find.files().workspace(), &listed, &about.names, &control, find.trigrams());
    // Only the found files are checked against the access rules: checking all files takes longer than reading
    // them.
    found.files.retain(|path| cx.may_read(path));
    let first = about.paths.iter().chain(found.files.iter().take(FIRST));
    let mut ranks: HashMap<&WorkspacePath, usize> = HashMap::new();
    first.zip(0..).for_each(|(path, rank)| {
        ranks.entry(path).or_insert(rank);
    });
    let rank = |path: &WorkspacePath| ranks.get(path).copied();
    let end = wait.at_least(END);
    let mut lent = index.lend_within(&Patience::for_ranked(end, &rank), stop)?;
    let waiting = I::waiting(&lent);
    let (now, read) = (Instant::now(), before.saturating_sub(waiting.len()).max(1));
    let rest = (now - since).mul_f64(waiting.len() as f64 / read as f64);
    if !waiting.is_empty() && now < end && rest <= end - now {
        drop(lent);
        lent = index.lend_within(&Patience::until(end), stop)?;
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
    /// Adds the counts for two indexes. If only one index has counts, returns these; `None` if neither has.
    pub(crate) fn sum(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let (Some(a), Some(b)) = (one, other) else { return one.or(other) };
        Some(Self {
            containing: a.containing + b.containing,
            read: a.read + b.read,
            unsearched: a.unsearched + b.unsearched,
        })
    }

    /// Describes the files outside the index that were read, without a final period. `subject` is the
    /// searched content, for example `the name`.
    #[must_use]
    pub fn words(&self, subject: &str) -> String {
        let Self { containing, read, unsearched } = *self;
        let verb = if containing == 1 { "contains" } else { "contain" };
        let files = counted(containing as u64, "file");
        let mut words = match (containing, read) {
            (0, _) if unsearched > 0 => {
                format!("none of the searched files outside the index contains {subject}")
            }
            (0, _) => format!("none of the files outside the index contains {subject}"),
            _ if read == containing => {
                format!("Toolpost read the {files} outside the index that {verb} {subject}")
            }
            _ => format!("Toolpost read {read} of the {files} outside the index that {verb} {subject}"),
        };
        if unsearched > 0 {
            let files = counted(unsearched as u64, "file");
            words
                .push_str(&format!("; there was no time to search {files} for {}", subject_pronoun(subject)));
        }
        words
    }
}

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

/// Replaces a `NotFound` or `WrongKind` failure from an incomplete index by a `Timeout` failure, because the index
/// may not have read the file of the symbol yet.
pub(super) fn so_far(failure: Failure, waiting: usize, all: usize, look: Option<DirectLook>) -> Failure {
    if waiting == 0 || !matches!(failure.kind, Kind::NotFound | Kind::WrongKind) {
        return failure;
    }
    let what = format!("Nothing found so far: {}.", unfinished(waiting, all, look, "the name"));
    let mut out = Failure::new(Kind::Timeout, what).hint(Hint::TryAgain);
    out.hints.extend(failure.hints);
    out
}

/// Task that reports progress to the caller while an index is built and searched. Dropping this value stops the task.
pub(crate) struct WaitReport(JoinHandle<()>);

impl Drop for WaitReport {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Starts the reports about the progress of an index. `progress` returns the number of files that have been
/// read and the number of files that have not.
pub(crate) fn report(cx: &CallCtx, progress: impl Fn() -> (usize, usize) + Send + 'static) -> WaitReport {
    report_of(cx, "building the index", progress)
}

/// Starts the reports about a stage of a call that reads files. `what` describes the stage, and differs from that of the
/// other stages of the call, because each stage counts its own files.
pub(crate) fn report_of(
    cx: &CallCtx,
    what: &'static str,
    progress: impl Fn() -> (usize, usize) + Send + 'static,
) -> WaitReport {
    let (hears, began) = (cx.progress.stage(), Instant::now());
    WaitReport(tokio::spawn(async move {
        let mut pause = QUIET;
        loop {
            tokio::time::sleep(pause).await;
            let (read, waiting) = progress();
            let words = match waiting {
                0 => "searching".to_owned(),
                _ => format!("{what}: {read} of {} read", counted((read + waiting) as u64, "file")),
            };
            hears.tell(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX), &words);
            pause = PACE;
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{call::Progress, session::Session};
    use toolpost_test_rows::each;

    #[tokio::test]
    async fn stages_of_a_call_report_under_their_own_names_with_growing_counts() {
        let (send, mut heard) = tokio::sync::mpsc::unbounded_channel();
        let progress = Progress::new(move |count, what| {
            send.send((count, what.to_owned())).ok();
        });
        let cx = CallCtx { progress, ..CallCtx::denied(Session::new()) };
        let mut last = 0;
        for (what, files) in [("reading the project", (56, 526)), ("building the index", (3, 571))] {
            let report = report_of(&cx, what, move || files);
            let (count, words) = heard.recv().await.unwrap();
            drop(report);
            assert!(count > last && words.starts_with(what), "{last}: {count} {words}");
            last = count;
        }
    }

    #[test]
    fn operations_of_one_call_share_its_index_wait() {
        let (now, long) = (Instant::now(), Duration::from_secs(600));
        let rows = [
            (None, long / 10, long / 10),
            (Some(now + long), long / 10, long / 10),
            (Some(now + long / 100), long / 10, long / 100),
            (Some(now), long / 10, Duration::ZERO),
        ];
        each(rows, |(index_wait_end, limit, most)| {
            let cx = CallCtx { index_wait_end, ..CallCtx::denied(Session::new()) };
            let wait = Wait::start(limit, &cx);
            assert!(
                wait.whole <= most && most - wait.whole <= now.elapsed(),
                "{index_wait_end:?}: {:?}",
                wait.whole
            );
        });
    }
}
