//! Ignore rules that apply in a directory: those of the directory itself and of its parents.

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::Gitignore;

use super::entry::WalkOpenError;
use super::entry::{Candidate, open_regular};
use super::exclude;
use super::listing::MarkerSet;
use super::options::{HiddenFiles, Options, Prune, Rules};
use super::prune;
use super::rule_cache;
use super::stats::{Reason, Unreadable};
use crate::access::Kind;

/// Ignore rules of one directory, linked to those of its parents.
///
/// A directory without ignore files shares the level of its parent. Rules match paths relative to their
/// directory: `start` is the offset in the walk's paths at which those relative paths begin.
#[derive(Default)]
pub(super) struct Level {
    pub(super) parent: Option<Arc<Self>>,
    pub(super) start: usize,
    pub(super) git: Gitignores,
    pub(super) top: Top,
}

/// Mark of a directory that is the top of a repository. Git rules of outer repositories do not apply below
/// it.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Top {
    #[default]
    No,
    Yes,
}

/// Ignore rules of one directory, by kind of ignore file, in order of precedence.
#[derive(Default)]
pub(super) struct Gitignores {
    pub(super) ripgrep: Option<Arc<Gitignore>>,
    pub(super) plain: Option<Arc<Gitignore>>,
    pub(super) git: Option<Arc<Gitignore>>,
    pub(super) exclude: Option<Arc<Gitignore>>,
    pub(super) global: Option<Arc<Gitignore>>,
}

/// Result of matching a path against ignore rules.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Silent,
    Ignore,
    Keep,
}

impl Level {
    /// Reads the ignore rules of a directory; `marks` shows which ignore files exist in it. Returns the parent's level
    /// if there are none and the directory is not the top of a repository.
    pub(super) fn of(
        parent: &Arc<Self>,
        directory: BorrowedFd<'_>,
        marks: MarkerSet,
        start: usize,
        unreadable: &mut Unreadable,
        shown: &dyn Fn() -> String,
    ) -> Arc<Self> {
        if !marks.has(MarkerSet::ANY_RULES) {
            return Arc::clone(parent);
        }
        let mut read = |mark: MarkerSet, name: &str| {
            if !marks.has(mark) {
                return None;
            }
            match load(directory, name) {
                Ok(rules) => rules,
                Err(WalkOpenError::Gone) => None,
                Err(fault) => {
                    unreadable.note(format!("{}/{name}: {fault}", shown()));
                    None
                }
            }
        };
        let git = Gitignores {
            ripgrep: read(MarkerSet::RIPGREP_IGNORE, ".rgignore"),
            plain: read(MarkerSet::IGNORE, ".ignore"),
            git: read(MarkerSet::GIT_IGNORE, ".gitignore"),
            exclude: if marks.has(MarkerSet::REPOSITORY) { load_exclude(directory) } else { None },
            global: None,
        };
        let top = if marks.has(MarkerSet::REPOSITORY) { Top::Yes } else { Top::No };
        Arc::new(Self { parent: Some(Arc::clone(parent)), start, git, top })
    }

    /// Returns the decision of all ignore rules that apply to a path. The kind of ignore file decides first,
    /// then the nearest directory.
    fn verdict(&self, path: &[u8], kind: Kind) -> Verdict {
        let mut answers = [Verdict::Silent; 5];
        let mut inside = true;
        let mut level = Some(self);
        while let Some(here) = level {
            let local = path.get(here.start..).unwrap_or_default();
            let mut ask = |place: usize, rules: &Option<Arc<Gitignore>>| {
                if let (Some(rules), Some(Verdict::Silent)) = (rules, answers.get(place)) {
                    answers[place] = matched(rules, local, kind);
                }
            };
            ask(0, &here.git.ripgrep);
            ask(1, &here.git.plain);
            if inside {
                ask(2, &here.git.git);
                ask(3, &here.git.exclude);
            }
            ask(4, &here.git.global);
            inside &= here.top == Top::No;
            level = here.parent.as_deref();
        }
        answers.into_iter().find(|answer| *answer != Verdict::Silent).unwrap_or(Verdict::Silent)
    }
}

/// Returns the reason to exclude the entry `candidate`; `None` to include it. `beside` are the marker files in the
/// entry's directory. The caller ignores the reason for an entry that the visitor named explicitly.
///
/// `free` lists the names on the path to the start of the walk. Version control and dependency directories
/// with these names are not excluded.
pub(super) fn against(
    options: &Options,
    level: &Level,
    path: &[u8],
    beside: MarkerSet,
    candidate: &Candidate<'_>,
    free: &[Vec<u8>],
) -> Option<Reason> {
    let name = candidate.name_bytes();
    let directory = candidate.kind() == Kind::Directory;
    let lifted = || free.iter().any(|free| free == name);
    if directory && prune::is_version_control(name) && !lifted() {
        return Some(Reason::VersionControl);
    }
    let verdict = match options.rules {
        Rules::None => Verdict::Silent,
        Rules::Git => level.verdict(path, candidate.kind()),
    };
    let entered = || options.prune == Prune::Enter && directory && prune::may_be_dependency(name, beside);
    if verdict == Verdict::Ignore && !entered() {
        return Some(Reason::Ignored);
    }
    if options.prune == Prune::Dependencies && directory && prune::is_dependency(name, beside) && !lifted() {
        return Some(Reason::Dependency);
    }
    let hidden = options.hidden == HiddenFiles::Skip && name.first() == Some(&b'.');
    (hidden && verdict != Verdict::Keep).then_some(Reason::Hidden)
}

/// Reads the rules in an ignore file; `None` if it contains no valid rules.
pub(super) fn load(directory: impl AsFd, name: &str) -> Result<Option<Arc<Gitignore>>, WalkOpenError> {
    let opened = open_regular(directory.as_fd(), OsStr::new(name))?;
    let mut text = Vec::new();
    read_at_most(opened.file, &mut text).map_err(|error| WalkOpenError::Refused(error.into()))?;
    Ok(rule_cache::of(&text))
}

/// Size limit of ignore files, in bytes; longer ones are truncated.
const MOST_RULES: u64 = 4 * 1024 * 1024;

pub(super) fn read_at_most(file: std::fs::File, text: &mut Vec<u8>) -> std::io::Result<()> {
    use std::io::Read;
    file.take(MOST_RULES).read_to_end(text).map(|_| ())
}

/// Reads the ignore rules in `info/exclude` of a repository.
fn load_exclude(directory: BorrowedFd<'_>) -> Option<Arc<Gitignore>> {
    load(exclude::info(directory)?, exclude::EXCLUDE).ok()?
}

fn matched(rules: &Gitignore, path: &[u8], kind: Kind) -> Verdict {
    match rules.matched(Path::new(OsStr::from_bytes(path)), kind == Kind::Directory) {
        Match::None => Verdict::Silent,
        Match::Ignore(_) => Verdict::Ignore,
        Match::Whitelist(_) => Verdict::Keep,
    }
}
