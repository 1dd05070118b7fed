//! Withheld files (those that the rules deny or ask about) below the directories that a command searches.

use crate::{
    access::Access,
    decision::Decision,
    policy::Policy,
    rule::Rule,
    withheld::{FRESH, WithheldCache, WithheldFile, WithheldFinder},
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
    walk::{self, Candidate, Claim, Entry, HiddenFiles, Kind, Next, Options, Rules, Visitor},
};

/// Maximum number of directory entries that are examined for one search.
const MOST_NAMES: usize = 200_000;
/// Maximum number of withheld files that are listed for one search.
const MOST_FOUND: usize = 5;

impl Policy {
    /// Enables the policy to find withheld files (those that the rules deny or ask about) below the
    /// directories that commands search.
    #[must_use]
    pub fn with_search(self, workspace: Workspace) -> Self {
        let finder = WithheldFinder { workspace, last: Arc::default(), tracked: Arc::default() };
        Self { finder: Some(finder), ..self }
    }

    /// Finds the files below a directory that a command's search would read and that the rules deny or ask
    /// about.
    pub(crate) fn withheld(&self, directory: &Path, search: &Search) -> Vec<WithheldFile> {
        let Some(finder) = &self.finder else { return Vec::new() };
        let mut last = finder.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = last.as_ref().filter(|last| last.at.elapsed() < FRESH)
            && last.directory == directory
            && last.search == *search
        {
            return last.withheld.clone();
        }
        let withheld = self.look(finder, directory, search);
        *last = Some(WithheldCache {
            at: Instant::now(),
            directory: directory.to_owned(),
            search: search.clone(),
            withheld: withheld.clone(),
        });
        withheld
    }

    /// Checks whether a path exists in a root. True without a workspace.
    pub(crate) fn finds(&self, path: &Path) -> bool {
        let Some(WithheldFinder { workspace, .. }) = &self.finder else { return true };
        let path = path.to_str().and_then(|path| workspace.resolve(path).ok());
        path.is_some_and(|path| workspace.stat(&path).is_ok())
    }

    /// Checks whether a path of a root can be a directory when a command runs. A path that does not exist yet can be one
    /// if the command line has another command, which may create it.
    pub(crate) fn may_be_directory(&self, path: &Path, is_alone: bool) -> bool {
        let Some(WithheldFinder { workspace, .. }) = &self.finder else { return true };
        let Some(path) = path.to_str().and_then(|path| workspace.resolve(path).ok()) else { return true };
        workspace.stat(&path).map_or(!is_alone, |stat| stat.kind == Kind::Directory)
    }

    fn look(&self, finder: &WithheldFinder, directory: &Path, search: &Search) -> Vec<WithheldFile> {
        let path = directory.to_str().and_then(|path| finder.workspace.resolve(path).ok());
        // A directory that cannot be resolved is judged only by its text.
        let Some(base) = path else { return Vec::new() };
        // Programs interpret special characters in patterns differently, so only plain patterns exclude files
        // here.
        let is_plain = |pattern: &&String| !pattern.contains(['/', '{', '[', '\\']);
        let except: Vec<String> = search.except.iter().filter(is_plain).cloned().collect();
        let names = Names { only: globs(&search.names, Case::Either), except: globs(&except, Case::Same) };
        let seen = AtomicUsize::new(0);
        let options = Options {
            rules: if search.ignored { Rules::None } else { Rules::Git },
            hidden: if search.hidden { HiddenFiles::Show } else { HiddenFiles::Skip },
            threads: NonZeroUsize::new(1),
            ..Options::default()
        };
        let make = || Finder { policy: self, names: &names, directory, seen: &seen, found: Vec::new() };
        let is_over = || seen.load(Ordering::Relaxed) > MOST_NAMES;
        let Ok(walked) = walk::walk(&base, (), &options, &is_over, &make) else { return Vec::new() };
        let mut withheld: Vec<WithheldFile> =
            walked.visitors.into_iter().flat_map(|finder| finder.found).collect();
        withheld.sort_by(|left, right| left.path.cmp(&right.path));
        if seen.load(Ordering::Relaxed) > MOST_NAMES {
            let why = format!(
                "the searched directory has more than {MOST_NAMES} entries, and not all were checked for secrets"
            );
            withheld.push(WithheldFile { path: None, decision: Decision::Ask, why, rule: None });
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

/// Compiles patterns of file names. If one is invalid, returns an empty set, so that the policy asks about
/// more files and not about fewer.
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
    found: Vec<WithheldFile>,
}

impl Visitor for Finder<'_> {
    type Place = ();

    fn judge(&mut self, (): &(), candidate: &Candidate<'_>) -> Claim {
        self.seen.fetch_add(1, Ordering::Relaxed);
        // In `.git`, Git does not store files under their names in the worktree, so no pattern of names can
        // match there.
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
            self.found.push(WithheldFile { path, decision, why: rule.why.clone(), rule: rule_at });
        }
        if self.found.len() >= MOST_FOUND { Next::Stop } else { Next::On }
    }
}

impl Policy {
    /// Returns the decision about reading a path below a root, and the rule that made it.
    pub(crate) fn reading(&self, absolute: &Path) -> (Decision, Option<&Rule>) {
        let below = self.roots.iter().filter_map(|root| absolute.strip_prefix(root).ok());
        let relative = below.min_by_key(|rest| rest.as_os_str().len());
        let whole = absolute.to_string_lossy();
        let relative =
            relative.map_or_else(|| whole.trim_start_matches('/').into(), |rest| rest.to_string_lossy());
        self.find(Access::Reads, Decision::Allow, |rule| rule.matches_path(&relative, &whole))
    }
}
