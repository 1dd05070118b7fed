//! Search for the files that match a glob, through the trigram index or by a directory walk.

use std::cmp::Ordering;
use std::sync::Arc;

use toolpost_trigrams::TrigramIndex;
use toolpost_workspace::walk::{self, Candidate, Claim, Entry, Kind, Next, RuleEffect, Visitor, walk};
use toolpost_workspace::{AccessKind, Workspace, WorkspacePath};

use super::judge::Judge;
use super::pattern::{Anchor, NameMatch, Pattern, PatternTarget, State};
use super::{EntryKinds, GlobOutput, GlobRequest, Match};
use crate::order::by_path;
use crate::{Complete, Control, SearchError, request_path};

pub(super) fn find(
    workspace: &Workspace,
    request: &GlobRequest,
    control: &Control,
    index: Option<&TrigramIndex>,
) -> Result<GlobOutput, SearchError> {
    let pattern = Pattern::new(&request.pattern, request.case)?;
    request_path::directory(workspace, &request.base, "glob")?;
    let Some(start) = start(workspace, request, &pattern)? else {
        return Ok(nothing());
    };
    let only =
        if pattern.ending == PatternTarget::Directory { EntryKinds::Directories } else { request.only };
    let limit = request.limit.unwrap_or(usize::MAX);
    let options = control.options(request.rules, request.hidden, request.prune);
    let depth = request.depth.unwrap_or(usize::MAX);
    if depth == 0 {
        return Err(SearchError::Request(
            "depth must be greater than zero: 1 searches only the directory itself",
        ));
    }
    let judge = Arc::new(Judge { pattern, only, depth });
    if let Some(index) = index.filter(|_| only == EntryKinds::Files)
        && let Some(names) = super::indexed::find(index, request, &start, &options, &judge, control)
    {
        let hits = names.files.into_iter().map(|named| Hit {
            modified: named.modified,
            kind: named.kind,
            relative: named.relative,
        });
        let mut found =
            GlobMatches { hits: hits.collect(), skipped: names.skipped, ..GlobMatches::default() };
        found.cut(limit);
        if found.hits.len() <= SHOWN {
            // The index has the modification times that the file watcher reported, but the watcher does not report
            // every change. So the times are read from disk.
            found.hits.iter_mut().for_each(|hit| hit.look(workspace, &start));
        }
        return Ok(gather(&start, found, limit, Complete::Yes));
    }
    let make = || Finder { judge: &judge, limit, hits: Vec::new(), total: 0 };
    match walk(&start, judge.pattern.start(), &options, &|| control.stops(), &make) {
        Ok(walked) => {
            let mut found = GlobMatches {
                skipped: walked.skipped,
                unreadable: walked.unreadable,
                ..GlobMatches::default()
            };
            for finder in walked.visitors {
                // Each thread keeps only the newest matches, so the other matches that it counted are dropped ones.
                found.dropped += finder.total - finder.hits.len() as u64;
                found.hits.extend(finder.hits);
            }
            Ok(gather(&start, found, limit, control.verdict(walked.ended)))
        }
        Err(fault) => Err(SearchError::unreadable(&start, fault)),
    }
}

/// Returns the directory where the walk starts, to which the literal names at the start of the pattern lead. `None` if
/// no directory exists there.
fn start(
    workspace: &Workspace,
    request: &GlobRequest,
    pattern: &Pattern,
) -> Result<Option<WorkspacePath>, SearchError> {
    if pattern.prefix.is_empty() {
        return Ok(Some(request.base.clone()));
    }
    let start = match pattern.anchor {
        Anchor::Base => request_path::below(workspace, &request.base, &pattern.prefix)?,
        Anchor::Absolute => request_path::resolve(workspace, &pattern.prefix)?,
    };
    match workspace.stat(&start) {
        Ok(stat) => Ok((stat.kind == Kind::Directory).then_some(start)),
        Err(error) => match error.why {
            AccessKind::Missing | AccessKind::NotADirectory => Ok(None),
            _ => Err(SearchError::Access(error)),
        },
    }
}

fn nothing() -> GlobOutput {
    GlobOutput {
        matches: Vec::new(),
        total: 0,
        skipped: walk::SkippedEntries::default(),
        unreadable: walk::Unreadable::default(),
        complete: Complete::Yes,
    }
}

struct Hit {
    modified: i64,
    kind: Kind,
    relative: Box<[u8]>,
}

/// If at most this number of matches from the index are returned, their modification times are read from disk.
const SHOWN: usize = 1_000;

impl Hit {
    /// Reads the current modification time from disk.
    fn look(&mut self, workspace: &Workspace, start: &WorkspacePath) {
        let path = walk::found_below(start, &self.relative);
        if let Some(Ok(stat)) = path.map(|path| workspace.stat(&path)) {
            self.modified = i64::try_from(stat.modified).unwrap_or(self.modified);
        }
    }
}

/// The matches of a glob before they are sorted.
#[derive(Default)]
struct GlobMatches {
    hits: Vec<Hit>,
    /// The number of older matches that were dropped because of the limit.
    dropped: u64,
    skipped: walk::SkippedEntries,
    unreadable: walk::Unreadable,
}

impl GlobMatches {
    /// Keeps the newest matches up to the limit, and counts the older ones as dropped.
    fn cut(&mut self, limit: usize) {
        let all = self.hits.len();
        cut(&mut self.hits, limit);
        self.dropped += (all - self.hits.len()) as u64;
    }
}

struct Finder<'p> {
    judge: &'p Judge,
    limit: usize,
    hits: Vec<Hit>,
    total: u64,
}

impl Visitor for Finder<'_> {
    type Place = State;

    fn judge(&mut self, place: &State, candidate: &Candidate<'_>) -> Claim {
        let name = candidate.name_bytes();
        if candidate.kind() == Kind::Directory {
            self.judge.directory(place, name, level(candidate)).0
        } else {
            self.judge.file(place, name)
        }
    }

    fn visit(&mut self, place: &State, entry: &Entry<'_>) -> Next<State> {
        let candidate = entry.candidate();
        let name = candidate.name_bytes();
        if candidate.kind() != Kind::Directory {
            self.hit(entry);
            return Next::On;
        }
        let (_, step) = self.judge.directory(place, name, level(candidate));
        let overruled = entry.rule_effect() == RuleEffect::Overruled;
        let accepted = match step.accepted {
            NameMatch::No => false,
            NameMatch::Wild => !overruled,
            NameMatch::Named => true,
        };
        if accepted && self.judge.only != EntryKinds::Files {
            self.hit(entry);
        }
        let below = if overruled { step.named_below } else { step.below };
        if below.is_empty() || level(candidate) >= self.judge.depth { Next::On } else { Next::Enter(below) }
    }
}

impl Finder<'_> {
    fn hit(&mut self, entry: &Entry<'_>) {
        // An entry that vanished after its name was read is not a match.
        let Ok(stat) = entry.stat() else { return };
        self.total += 1;
        let candidate = entry.candidate();
        let relative = candidate.relative_bytes().into();
        self.hits.push(Hit { modified: stat.modified, kind: candidate.kind(), relative });
        if self.hits.len() >= self.limit.saturating_mul(2).saturating_add(4096) {
            cut(&mut self.hits, self.limit);
        }
    }
}

/// Returns the depth of an entry; 1 is directly in the directory where the walk starts.
fn level(candidate: &Candidate<'_>) -> usize {
    1 + memchr::memchr_iter(b'/', candidate.relative_bytes()).count()
}

fn gather(start: &WorkspacePath, mut found: GlobMatches, limit: usize, complete: Complete) -> GlobOutput {
    let total = found.hits.len() as u64 + found.dropped;
    found.cut(limit);
    found.hits.sort_unstable_by(newest_first);
    let matches = found
        .hits
        .into_iter()
        .filter_map(|hit| {
            let path = walk::found_below(start, &hit.relative)?;
            Some(Match { path, modified: hit.modified, kind: hit.kind })
        })
        .collect();
    GlobOutput { matches, total, skipped: found.skipped, unreadable: found.unreadable, complete }
}

/// Removes all but the newest `limit` matches.
fn cut(hits: &mut Vec<Hit>, limit: usize) {
    if hits.len() > limit {
        hits.select_nth_unstable_by(limit, newest_first);
        hits.truncate(limit);
    }
}

fn newest_first(one: &Hit, other: &Hit) -> Ordering {
    other.modified.cmp(&one.modified).then_with(|| by_path(&one.relative, &other.relative))
}
