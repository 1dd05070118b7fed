//! The walk of a glob.

use std::cmp::Ordering;

use toolpost_workspace::walk::{self, Candidate, Claim, Entry, Kind, Next, Standing, Visitor, Walked, walk};
use toolpost_workspace::{AccessKind, Workspace, WorkspacePath};

use super::pattern::{Accepted, Anchor, Ending, Pattern, State};
use super::{GlobOutput, GlobRequest, Match, Only};
use crate::order::by_path;
use crate::{Complete, Control, SearchError, said};

pub(super) fn find(
    workspace: &Workspace,
    request: &GlobRequest,
    control: &Control,
) -> Result<GlobOutput, SearchError> {
    let pattern = Pattern::new(&request.pattern, request.case)?;
    said::directory(workspace, &request.base, "glob")?;
    let Some(start) = start(workspace, request, &pattern)? else {
        return Ok(nothing());
    };
    let only = if pattern.ending == Ending::Directory { Only::Directories } else { request.only };
    let limit = request.limit.unwrap_or(usize::MAX);
    let options = control.options(request.rules, request.hidden, request.prune);
    let depth = request.depth.unwrap_or(usize::MAX);
    if depth == 0 {
        return Err(SearchError::Request("depth must be greater than zero: 1 looks at the directory alone"));
    }
    let make = || Finder { pattern: &pattern, only, limit, depth, hits: Vec::new(), total: 0 };
    let walked = walk(&start, pattern.start(), &options, &|| control.stops(), &make);
    match walked {
        Ok(walked) => Ok(gather(&start, walked, limit, control)),
        Err(fault) => Err(SearchError::unreadable(&start, fault)),
    }
}

/// Finds where the walk begins; `None` if what the pattern says literally is not there.
fn start(
    workspace: &Workspace,
    request: &GlobRequest,
    pattern: &Pattern,
) -> Result<Option<WorkspacePath>, SearchError> {
    if pattern.prefix.is_empty() {
        return Ok(Some(request.base.clone()));
    }
    let start = match pattern.anchor {
        Anchor::Base => said::below(workspace, &request.base, &pattern.prefix)?,
        Anchor::Absolute => said::resolve(workspace, &pattern.prefix)?,
    };
    match workspace.stat(&start) {
        Ok(stat) => Ok((stat.kind == toolpost_workspace::Kind::Directory).then_some(start)),
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
        skipped: walk::Skipped::default(),
        unreadable: walk::Unreadable::default(),
        complete: Complete::Yes,
    }
}

struct Hit {
    modified: i64,
    kind: Kind,
    relative: Box<[u8]>,
}

struct Finder<'p> {
    pattern: &'p Pattern,
    only: Only,
    limit: usize,
    depth: usize,
    hits: Vec<Hit>,
    total: u64,
}

impl Visitor for Finder<'_> {
    type Place = State;

    fn judge(&mut self, place: &State, candidate: &Candidate<'_>) -> Claim {
        let name = candidate.name_bytes();
        if candidate.kind() != Kind::Directory {
            if self.only == Only::Directories {
                return Claim::Pass;
            }
            return claim(self.pattern.accepts(place, name));
        }
        let step = self.pattern.step(place, name);
        if !step.named_below.is_empty() && level(candidate) < self.depth {
            return Claim::Named;
        }
        let wanted = if self.only == Only::Files { Claim::Pass } else { claim(step.accepted) };
        let leads_on = !step.below.is_empty() && level(candidate) < self.depth;
        if wanted == Claim::Pass && leads_on { Claim::Wanted } else { wanted }
    }

    fn visit(&mut self, place: &State, entry: &Entry<'_>) -> Next<State> {
        let candidate = entry.candidate();
        let name = candidate.name_bytes();
        if candidate.kind() != Kind::Directory {
            self.hit(entry);
            return Next::On;
        }
        let step = self.pattern.step(place, name);
        let overruled = entry.standing() == Standing::Overruled;
        let accepted = match step.accepted {
            Accepted::No => false,
            Accepted::Wild => !overruled,
            Accepted::Named => true,
        };
        if accepted && self.only != Only::Files {
            self.hit(entry);
        }
        let below = if overruled { step.named_below } else { step.below };
        if below.is_empty() || level(candidate) >= self.depth { Next::On } else { Next::Enter(below) }
    }
}

impl Finder<'_> {
    fn hit(&mut self, entry: &Entry<'_>) {
        // What vanished since its name was read is no match any more.
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

/// Counts how deep something lies; 1 is directly in the start of the walk.
fn level(candidate: &Candidate<'_>) -> usize {
    1 + memchr::memchr_iter(b'/', candidate.relative_bytes()).count()
}

fn claim(accepted: Accepted) -> Claim {
    match accepted {
        Accepted::No => Claim::Pass,
        Accepted::Wild => Claim::Wanted,
        Accepted::Named => Claim::Named,
    }
}

fn gather(start: &WorkspacePath, walked: Walked<Finder<'_>>, limit: usize, control: &Control) -> GlobOutput {
    let total = walked.visitors.iter().map(|visitor| visitor.total).sum();
    let mut hits: Vec<Hit> = walked.visitors.into_iter().flat_map(|visitor| visitor.hits).collect();
    cut(&mut hits, limit);
    hits.sort_unstable_by(newest_first);
    let matches = hits
        .into_iter()
        .filter_map(|hit| {
            let path = walk::found_below(start, &hit.relative)?;
            Some(Match { path, modified: hit.modified, kind: hit.kind })
        })
        .collect();
    let complete = control.verdict(walked.ended);
    GlobOutput { matches, total, skipped: walked.skipped, unreadable: walked.unreadable, complete }
}

/// Keeps only the newest.
fn cut(hits: &mut Vec<Hit>, limit: usize) {
    if hits.len() > limit {
        hits.select_nth_unstable_by(limit, newest_first);
        hits.truncate(limit);
    }
}

fn newest_first(one: &Hit, other: &Hit) -> Ordering {
    other.modified.cmp(&one.modified).then_with(|| by_path(&one.relative, &other.relative))
}
