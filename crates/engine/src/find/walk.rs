//! Directory walks of operations: their time limits, their progress, and reports of the parts that were not searched.

use crate::{
    call::CallCtx,
    failure::{Failure, Hint, Kind},
    files::Files,
    find::Find,
    workers::blocking,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use toolpost_search::{Control, SearchError, SkippedEntries, Unreadable};
use toolpost_text::plural::counted;

use toolpost_workspace::{LookupError, WorkspacePath};

/// The interval between the progress reports of a directory walk.
const TICK: Duration = Duration::from_millis(500);

/// The completeness of a walk.
#[derive(Debug, Clone, Copy, Default, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Complete {
    /// The walk was complete.
    #[default]
    Yes,
    /// The walk reached the time limit, so results may be missing.
    TimedOut,
    /// The index is not complete yet, so results may be missing; the same request finds them later.
    NotReady,
    /// The walk was cancelled, so results may be missing.
    Cancelled,
}

/// The parts of a tree that a walk did not search.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct WalkReport {
    /// Descriptions of the entries that were skipped on purpose.
    pub skipped: Vec<String>,
    /// The progress of an index that is still being built, as text; `None` if no index is incomplete.
    pub unfinished: Option<String>,
    /// The first few paths that could not be read, with the reason.
    pub unreadable: Vec<String>,
    /// The number of paths that could not be read.
    pub unreadable_total: u64,
    /// The other roots of the workspace, if the search covered exactly one whole root; otherwise empty.
    pub other_roots: Vec<String>,
    /// Completeness of the walk.
    pub complete: Complete,
}

impl Complete {
    /// Returns the kind and the message of the failure of a call that needs a complete walk. `work` is what the walk did
    /// not finish, such as "all directories were searched". `None` if the walk was complete.
    pub(crate) fn ended_before(self, work: &str) -> Option<(Kind, String)> {
        let (kind, why) = match self {
            Self::Yes => return None,
            Self::TimedOut | Self::NotReady => (Kind::Timeout, "The time limit was reached"),
            Self::Cancelled => (Kind::Cancelled, "The call was cancelled"),
        };
        Some((kind, format!("{why} before {work}.")))
    }
}

/// Runs a search below the directory `base` on a worker thread, within the time limit of the call. Progress is reported
/// as a count of `what`, such as "steps through files".
pub(crate) async fn walk<T: Send + 'static>(
    find: &Find,
    cx: &CallCtx,
    base: &WorkspacePath,
    what: &str,
    search: impl FnOnce(&Find, &Control) -> Result<T, SearchError> + Send + 'static,
) -> Result<T, Failure> {
    let steps = Arc::default();
    let (control, find, base) = (control(cx, &steps), find.clone(), base.clone());
    let found = blocking(move || search(&find, &control).map_err(|error| failed(&find, &base, error)));
    with_progress(cx, &steps, what, found).await
}

/// Creates the control that stops a walk when the caller cancels it or the deadline passes. `steps` counts
/// how often the walk checks for cancellation, as a measure of its progress.
fn control(cx: &CallCtx, steps: &Arc<AtomicU64>) -> Control {
    let (cancel, steps) = (cx.cancel.clone(), steps.clone());
    let control = Control::default().cancelled_by(move || {
        steps.fetch_add(1, Ordering::Relaxed);
        cancel.is_cancelled()
    });
    match cx.deadline {
        Some(deadline) => control.until(deadline),
        None => control,
    }
}

/// Waits for a directory walk, and reports its progress twice a second.
async fn with_progress<T>(cx: &CallCtx, seen: &AtomicU64, what: &str, walk: impl Future<Output = T>) -> T {
    let mut walk = pin!(walk);
    let progress = cx.progress.stage();
    loop {
        tokio::select! {
            done = &mut walk => return done,
            () = tokio::time::sleep(TICK) => {
                let count = seen.load(Ordering::Relaxed);
                progress.tell(count, &format!("{count} {what}"));
            }
        }
    }
}

impl WalkReport {
    /// Creates the report of the entries that a walk skipped or could not read.
    pub(crate) fn of(
        skipped: &SkippedEntries,
        unreadable: Unreadable,
        complete: toolpost_search::Complete,
    ) -> Self {
        Self {
            skipped: words(skipped),
            unfinished: None,
            unreadable: unreadable.names.into_iter().collect(),
            unreadable_total: unreadable.count,
            other_roots: Vec::new(),
            complete: match complete {
                toolpost_search::Complete::Yes => Complete::Yes,
                toolpost_search::Complete::TimedOut => Complete::TimedOut,
                toolpost_search::Complete::Cancelled => Complete::Cancelled,
            },
        }
    }

    /// Adds the other roots of the workspace to the report, if the search covered exactly one whole root.
    pub(crate) fn of_one_root(mut self, files: &Files, base: &WorkspacePath) -> Self {
        if base.is_root() && base.root().label().is_none() {
            let here = base.absolute();
            self.other_roots = files.roots().into_iter().filter(|root| *root != here).collect();
        }
        self
    }

    /// Returns the approximate size of the report in a reply, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let lists = [&self.skipped, &self.unreadable, &self.other_roots];
        lists.into_iter().flatten().map(|words| words.len() + 2).sum::<usize>()
            + self.unfinished.as_ref().map_or(0, String::len)
    }

    /// Returns a phrase for the roots that were not searched, for example "the other root of the workspace (/srv/b)";
    /// `None` if there are none. The text `remedy` follows the names, for example "pass it as the path".
    #[must_use]
    pub fn unsearched_roots(&self, remedy: Option<&str>) -> Option<String> {
        let roots = match self.other_roots.len() {
            0 => return None,
            1 => "the other root",
            _ => "the other roots",
        };
        let remedy = remedy.map(|remedy| format!("; {remedy}")).unwrap_or_default();
        Some(format!("{roots} of the workspace ({}{remedy})", self.other_roots.join(", ")))
    }
}

fn words(skipped: &SkippedEntries) -> Vec<String> {
    // Excluded directories are named only if dependency directories are among them; otherwise they are only counted.
    let told = skipped.directories.iter().filter(|_| skipped.dependencies > 0);
    let directories: Vec<&str> = told.map(String::as_str).collect();
    let named = skipped.ignored_directories + skipped.hidden_directories + skipped.dependencies;
    let mut words = Vec::new();
    let mut count = |count: u64, one: &str, many: &str| {
        if count > 0 {
            words.push(format!("{count} {}", if count == 1 { one } else { many }));
        }
    };
    count(skipped.ignored_directories, "ignored directory", "ignored directories");
    count(skipped.dependencies, "dependency directory", "dependency directories");
    count(skipped.hidden_directories, "hidden directory", "hidden directories");
    count(skipped.ignored_files, "ignored file", "ignored files");
    count(skipped.hidden_files, "hidden file", "hidden files");
    if let Some(last) = words.last_mut()
        && !directories.is_empty()
    {
        let more = if named > directories.len() as u64 { ", …" } else { "" };
        last.push_str(&format!(" ({}{more})", directories.join(", ")));
    }
    words
}

/// Creates the failure for a search that could not run.
fn failed(find: &Find, base: &WorkspacePath, error: SearchError) -> Failure {
    let words = crate::failure::convert::sentence(&error.to_string());
    match error {
        SearchError::Outside(error) => crate::failure::convert::path(error),
        SearchError::Missing { .. } if base.root().label().is_some() => {
            crate::files::dependencies::missing(find.files(), base)
        }
        SearchError::Missing { .. } => {
            let meant = match find.files().workspace().lookup(&base.display()) {
                Err(LookupError::Missing(missing)) => crate::files::lookup::meant(&missing),
                Ok(found) => vec![found.path.display()],
                Err(LookupError::Path(_)) => Vec::new(),
            };
            let failure = Failure::new(Kind::NotFound, words);
            let name = base.file_name().map(|name| toolpost_text::escape::name(name.as_encoded_bytes()));
            match name {
                _ if !meant.is_empty() => failure.hint(Hint::DidYouMean(meant)),
                Some(name) => failure.hint(Hint::FindByName(name.into_owned())),
                None => failure,
            }
        }
        SearchError::NotADirectory { .. } => Failure::new(Kind::WrongKind, words),
        SearchError::Access(error) => crate::failure::convert::access(&error.path.clone(), error),
        SearchError::Regex { pattern, why, literal } => {
            let said = shortened(&pattern, PATTERN_SHOWN);
            let failure = Failure::invalid(format!("The pattern is not a valid regular expression: {said}"))
                .found(shortened(&why, REASON_SHOWN));
            let literal = literal.filter(|literal| literal.len() <= PATTERN_SHOWN);
            literal.into_iter().fold(failure, |failure, literal| failure.hint(Hint::Literal(literal)))
        }
        SearchError::UnknownType { name, near } => {
            let hint = if near.is_empty() {
                Hint::Advice(
                    "Leave it out, and select the files with a glob such as *.ext instead.".to_owned(),
                )
            } else {
                Hint::DidYouMean(near)
            };
            Failure::invalid(format!("The file type {name:?} is unknown.")).hint(hint)
        }
        SearchError::Glob { .. } | SearchError::Request(_) => Failure::invalid(words),
    }
}

/// The maximum number of characters that a failure shows of an invalid pattern.
const PATTERN_SHOWN: usize = 1_000;
/// The maximum number of characters that a failure shows of the reason why a pattern is invalid.
const REASON_SHOWN: usize = 4_000;

/// Cuts a text to `most` characters, so that a long pattern does not fill the reply.
fn shortened(words: &str, most: usize) -> String {
    match toolpost_text::cut::line(words, most) {
        (_, 0) => words.to_owned(),
        (head, missing) => format!("{head}… ({})", counted(missing as u64, "more character")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn incomplete_walks_name_the_reason() {
        let rows = [
            (Complete::Yes, None),
            (Complete::TimedOut, Some((Kind::Timeout, "The time limit was reached before it ended."))),
            (Complete::NotReady, Some((Kind::Timeout, "The time limit was reached before it ended."))),
            (Complete::Cancelled, Some((Kind::Cancelled, "The call was cancelled before it ended."))),
        ];
        each(rows, |(complete, wanted)| {
            let wanted = wanted.map(|(kind, what)| (kind, what.to_owned()));
            assert_eq!(complete.ended_before("it ended"), wanted);
        });
    }
}
