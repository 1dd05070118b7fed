//! Withheld files below the directories that a command searches.

use crate::{
    access::Access,
    decision::Decision,
    policy::Policy,
    rule::Rule,
    withheld::{Answer, FRESH, Withheld, WithheldFinder},
};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use std::{
    num::NonZeroUsize,
    path::Path,
    sync::{
        Arc, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};
use toolpost_shell::Search;
use toolpost_workspace::{
    Workspace,
    walk::{self, Candidate, Claim, Entry, Hidden, Kind, Next, Options, Rules, Visitor},
};

/// The most names that are examined for one search.
const MOST_NAMES: usize = 200_000;
/// The most withheld files that are listed.
const MOST_FOUND: usize = 5;

impl Policy {
    /// Lets the policy find withheld files below the directories that commands search.
    #[must_use]
    pub fn looking(self, workspace: Workspace) -> Self {
        Self { finder: Some(WithheldFinder { workspace, last: Arc::default() }), ..self }
    }

    /// Finds the files below a directory that a search would read and that the rules withhold.
    pub(crate) fn withheld(&self, directory: &Path, search: &Search) -> Vec<Withheld> {
        let Some(finder) = &self.finder else { return Vec::new() };
        let mut last = finder.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = last.as_ref().filter(|last| last.at.elapsed() < FRESH)
            && last.directory == directory
            && last.search == *search
        {
            return last.withheld.clone();
        }
        let withheld = self.look(finder, directory, search);
        *last = Some(Answer {
            at: Instant::now(),
            directory: directory.to_owned(),
            search: search.clone(),
            withheld: withheld.clone(),
        });
        withheld
    }

    fn look(&self, finder: &WithheldFinder, directory: &Path, search: &Search) -> Vec<Withheld> {
        let path = directory.to_str().and_then(|path| finder.workspace.resolve(path).ok());
        // A path that cannot be resolved is judged by its text alone.
        let Some(base) = path else { return Vec::new() };
        // Programs interpret special characters in patterns differently; only plain patterns exclude files here.
        let is_plain = |pattern: &&String| !pattern.contains(['/', '{', '[', '\\']);
        let except: Vec<String> = search.except.iter().filter(is_plain).cloned().collect();
        let names = Names { only: globs(&search.names, Case::Either), except: globs(&except, Case::Same) };
        let seen = AtomicUsize::new(0);
        let options = Options {
            rules: if search.ignored { Rules::None } else { Rules::Git },
            hidden: if search.hidden { Hidden::Show } else { Hidden::Skip },
            threads: NonZeroUsize::new(1),
            ..Options::default()
        };
        let make = || Finder { policy: self, names: &names, directory, seen: &seen, found: Vec::new() };
        let is_over = || seen.load(Ordering::Relaxed) > MOST_NAMES;
        let Ok(walked) = walk::walk(&base, (), &options, &is_over, &make) else { return Vec::new() };
        let mut withheld: Vec<Withheld> =
            walked.visitors.into_iter().flat_map(|finder| finder.found).collect();
        withheld.sort_by(|left, right| left.path.cmp(&right.path));
        if seen.load(Ordering::Relaxed) > MOST_NAMES {
            let why =
                format!("it holds more than {MOST_NAMES} names, and not all were looked at for secrets");
            withheld.push(Withheld { path: None, decision: Decision::Ask, why, rule: None });
        }
        withheld
    }
}

struct Names {
    only: GlobSet,
    except: GlobSet,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Either,
    Same,
}

/// Compiles patterns of names. An invalid pattern empties the set, so that the policy asks about more and not about
/// less.
fn globs(patterns: &[String], case: Case) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let name = pattern.rsplit('/').next().unwrap_or(pattern);
        match GlobBuilder::new(name).case_insensitive(case == Case::Either).build() {
            Ok(glob) => set.add(glob),
            Err(_) => return GlobSet::empty(),
        };
    }
    set.build().unwrap_or_default()
}

impl Names {
    fn has(&self, name: &Path) -> bool {
        (self.only.is_empty() || self.only.is_match(name)) && !self.except.is_match(name)
    }
}

struct Finder<'p> {
    policy: &'p Policy,
    names: &'p Names,
    directory: &'p Path,
    seen: &'p AtomicUsize,
    found: Vec<Withheld>,
}

impl Visitor for Finder<'_> {
    type Place = ();

    fn judge(&mut self, (): &(), candidate: &Candidate<'_>) -> Claim {
        self.seen.fetch_add(1, Ordering::Relaxed);
        // Version control keeps no file under its own name there.
        if candidate.name_bytes() == b".git" && candidate.kind() == Kind::Directory {
            return Claim::Pass;
        }
        Claim::Wanted
    }

    fn visit(&mut self, (): &(), entry: &Entry<'_>) -> Next<()> {
        let candidate = entry.candidate();
        if candidate.kind() == Kind::Directory {
            return Next::Enter(());
        }
        if !self.names.has(Path::new(candidate.name())) {
            return Next::On;
        }
        let absolute = self.directory.join(candidate.relative());
        let (decision, rule) = self.policy.reading(&absolute);
        if let Some(rule) = rule.filter(|_| decision != Decision::Allow) {
            let path = absolute.to_str().map(str::to_owned);
            let rule_at = Some(rule.origin(None));
            self.found.push(Withheld { path, decision, why: rule.why.clone(), rule: rule_at });
        }
        if self.found.len() >= MOST_FOUND { Next::Stop } else { Next::On }
    }
}

impl Policy {
    /// Returns the decision about reading a path below a root, and the rule that made it.
    fn reading(&self, absolute: &Path) -> (Decision, Option<&Rule>) {
        let below = self.roots.iter().filter_map(|root| absolute.strip_prefix(root).ok());
        let relative = below.min_by_key(|rest| rest.as_os_str().len());
        let whole = absolute.to_string_lossy();
        let relative =
            relative.map_or_else(|| whole.trim_start_matches('/').into(), |rest| rest.to_string_lossy());
        self.find(Access::Reads, Decision::Allow, |rule| rule.matches_path(&relative, &whole))
    }
}
