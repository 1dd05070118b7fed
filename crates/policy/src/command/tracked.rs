//! Withheld files (those that the rules deny or ask about) whose contents git has stored, and that a command such as
//! `git diff` may print.

use crate::{
    access::Access,
    command::{JudgedTouch, ParsedCommand, judged_touch},
    decision::Decision,
    git_index::{self, TrackedFile},
    pathspec::Pathspecs,
    policy::Policy,
    withheld::{TrackedAnswer, WithheldFile, WithheldFinder},
};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, PoisonError},
};
use toolpost_shell::{Contents, Places, Search, Word};
use toolpost_workspace::{Kind, Workspace};

/// Maximum number of withheld files that are listed for one command.
const MOST_FOUND: usize = 5;
/// Maximum size of an index, in bytes.
const LARGEST: u64 = 128 << 20;
/// Nanoseconds in a second.
const SECOND: i128 = 1_000_000_000;

/// Lists the withheld files that a command may print. Whether it prints them depends on the stored contents, which are not
/// read, so even a file that a rule denies only needs approval.
pub(crate) fn printed(policy: &Policy, contents: &Contents, reading: &ParsedCommand<'_>) -> Vec<JudgedTouch> {
    let Some(finder) = &policy.finder else { return Vec::new() };
    let directories: Vec<PathBuf> = match &reading.script.places {
        Places::Known(places) => places
            .iter()
            .filter(|place| !place.starts_with('~'))
            .map(|place| reading.directory.join(place))
            .collect(),
        Places::Unknown => reading.roots.to_vec(),
    };
    let mut touches: Vec<JudgedTouch> = Vec::new();
    for directory in directories {
        let Some(top) = top(&finder.workspace, &directory, reading.roots) else { continue };
        let is_path = |word: &&Word| {
            word.known().is_some_and(|path| !path.is_empty() && policy.finds(&directory.join(path)))
        };
        let (paths, revisions): (Vec<&Word>, Vec<&Word>) = contents.either.iter().partition(is_path);
        let is_of_worktree = contents.is_of_worktree && revisions.is_empty();
        let words = paths.into_iter().chain(&contents.paths);
        let selected = Pathspecs::of(words, &top, &directory);
        for (file, withheld) in policy.tracked(finder, &top).iter() {
            let path = top.join(&file.path);
            if !selected.selects(&file.path) || (is_of_worktree && is_unchanged(finder, &path, file)) {
                continue;
            }
            let what = reading.roots.iter().find_map(|root| path.strip_prefix(root).ok()).unwrap_or(&path);
            let what = what.display().to_string();
            let mut why =
                format!("git tracks this file, and the command may print its content: {}", withheld.why);
            if contents.takes_paths {
                let separator = if why.ends_with('.') { "" } else { "." };
                why.push_str(&format!(
                    "{separator} To leave it out, end the command with `-- ':(top,exclude){}'`",
                    file.path
                ));
            }
            let touch = JudgedTouch {
                touch: "read",
                what,
                rule: withheld.rule.clone(),
                // A rule that an approval writes cannot allow what another rule denies.
                place: path.to_str().filter(|_| withheld.decision == Decision::Ask).map(str::to_owned),
                ..judged_touch(Decision::Ask, &why)
            };
            if !touches.contains(&touch) {
                touches.push(touch);
            }
        }
    }
    touches.truncate(MOST_FOUND);
    touches
}

/// Finds the top of the repository that contains a directory: the nearest directory with `.git`, or the root. `None` for
/// a directory outside the roots.
fn top(workspace: &Workspace, directory: &Path, roots: &[PathBuf]) -> Option<PathBuf> {
    let directory = workspace.resolve(directory.to_str()?).ok()?.raw().to_owned();
    let root =
        roots.iter().filter(|root| directory.starts_with(root)).max_by_key(|root| root.as_os_str().len())?;
    let mut above = directory.ancestors().take_while(|above| above.starts_with(root));
    let has_git = |above: &&Path| {
        let path = above.join(".git");
        path.to_str()
            .and_then(|path| workspace.resolve_entry(path).ok())
            .is_some_and(|path| workspace.stat(&path).is_ok())
    };
    Some(above.find(has_git).map_or_else(|| root.clone(), Path::to_owned))
}

/// Returns true if git would consider a file in the worktree unchanged, because it has the recorded length and time.
fn is_unchanged(finder: &WithheldFinder, path: &Path, file: &TrackedFile) -> bool {
    let path = path.to_str().and_then(|path| finder.workspace.resolve_entry(path).ok());
    let Some(stat) = path.and_then(|path| finder.workspace.stat(&path).ok()) else { return false };
    let (seconds, rest) = (stat.modified.div_euclid(SECOND), stat.modified.rem_euclid(SECOND));
    let is_same_time = seconds == i128::from(file.modified.0)
        && (file.modified.1 == 0 || rest == i128::from(file.modified.1));
    let is_known = file.modified != (0, 0);
    !file.is_unmerged
        && stat.kind == Kind::File
        && is_known
        && is_same_time
        && stat.len & 0xffff_ffff == u64::from(file.len)
}

impl Policy {
    /// Lists the withheld files that git tracks in a repository. If its index cannot be read, lists the files that git
    /// would not ignore.
    fn tracked(&self, finder: &WithheldFinder, top: &Path) -> Arc<Vec<(TrackedFile, WithheldFile)>> {
        let index = top.join(".git/index");
        let path = index.to_str().and_then(|path| finder.workspace.resolve(path).ok());
        let stat = path.as_ref().and_then(|path| finder.workspace.stat(path).ok());
        let stamp = stat.map_or((0, 0), |stat| (stat.modified, stat.len));
        let cached = finder.tracked.lock().unwrap_or_else(PoisonError::into_inner).get(top).cloned();
        if let Some(cached) = cached.filter(|cached| cached.stamp == stamp && stamp != (0, 0)) {
            return cached.withheld;
        }
        let read = path.and_then(|path| finder.workspace.read(&path, LARGEST).ok());
        let withheld = match read.and_then(|read| git_index::parse(&read.bytes)) {
            Some(files) => files.into_iter().filter_map(|file| self.withheld_file(top, file)).collect(),
            None => self.unignored(top),
        };
        let withheld = Arc::new(withheld);
        let answer = TrackedAnswer { stamp, withheld: withheld.clone() };
        finder.tracked.lock().unwrap_or_else(PoisonError::into_inner).insert(top.to_owned(), answer);
        withheld
    }

    /// Returns a tracked file with the decision about reading it; `None` if reading is allowed, or if no rule could
    /// allow it.
    fn withheld_file(&self, top: &Path, file: TrackedFile) -> Option<(TrackedFile, WithheldFile)> {
        let absolute = top.join(&file.path);
        if self.kept(Access::Reads, &absolute).is_some() {
            return None;
        }
        let (decision, rule) = self.reading(&absolute);
        let rule = rule.filter(|_| decision != Decision::Allow)?;
        let path = absolute.to_str().map(str::to_owned);
        let withheld = WithheldFile { path, decision, why: rule.why.clone(), rule: Some(rule.origin(None)) };
        Some((file, withheld))
    }

    /// Lists the withheld files below a directory that no ignore rule names.
    fn unignored(&self, top: &Path) -> Vec<(TrackedFile, WithheldFile)> {
        let search = Search {
            start: Word::known_as("."),
            hidden: true,
            ignored: false,
            names: Vec::new(),
            except: Vec::new(),
            loose_start: false,
        };
        let file = |withheld: &WithheldFile| {
            let path = withheld.path.as_deref().and_then(|path| Path::new(path).strip_prefix(top).ok());
            let path = path.unwrap_or(Path::new("")).to_string_lossy().into_owned();
            TrackedFile { path, modified: (0, 0), len: 0, is_unmerged: false }
        };
        self.withheld(top, &search).into_iter().map(|withheld| (file(&withheld), withheld)).collect()
    }
}
