//! The `delete` operation: removes files, links and directories, all of them or none.

use super::{
    change::apply,
    tree::{self, TreeEntry},
};
use crate::{
    access::{Access, Extent, Touch},
    call::CallCtx,
    edits::Edits,
    failure::{Failure, Kind, convert},
    files::{lookup, stat::FileKind},
    operation::{Effect, Operation},
    seen_content::{SeenContent, SeenRange},
    workers::blocking,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_workspace::{AccessKind, Action, Draft, Expect, Stat, WorkspacePath};

/// The `delete` operation, which removes files, links and directories.
pub struct Delete;

/// The paths to delete; either all are deleted, or none.
#[derive(Debug, Clone)]
pub struct Request {
    /// The paths to delete.
    pub targets: Vec<Target>,
    /// The rule for directories: they are deleted with their content, or refused.
    pub directories: Directories,
}

/// A path to delete.
#[derive(Debug, Clone)]
pub struct Target {
    /// The path; a link at its end is not followed.
    pub path: WorkspacePath,
    /// The path as the caller wrote it, for suggestions if nothing is there.
    pub raw_path: String,
}

/// The rule for targets that are directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Directories {
    /// A directory is refused, with this message.
    Refused(&'static str),
    /// A directory is deleted with its content.
    WithAllInside,
}

/// The deleted files, links and directories.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Each deleted target, in the order of the request, without repeated targets and targets inside other
    /// targets.
    pub deleted: Vec<DeletedEntry>,
    /// Notes about the deletion.
    pub notes: Vec<String>,
}

/// A deleted target.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DeletedEntry {
    /// The path, relative to its root.
    pub path: String,
    /// The kind of the target.
    pub kind: FileKind,
    /// Size of a file in bytes; 0 for anything else.
    pub bytes: u64,
    /// Number of entries that were deleted with a directory; 0 for anything else.
    pub entries: u64,
    #[serde(skip)]
    #[schemars(skip)]
    gone: Vec<WorkspacePath>,
}

/// A target that exists and may be deleted.
struct DeletionTarget {
    path: WorkspacePath,
    stat: Stat,
    tree: Vec<TreeEntry>,
}

impl Operation for Delete {
    const NAME: &'static str = "delete";
    const ACCESS: &'static [Access] = &[Access::Writes];
    const EFFECT: Effect = Effect::Replaces;
    type Capability = Edits;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        // The content of a directory is not known yet; `look` checks it.
        request.targets.iter().map(|target| Touch::Write(target.path.clone(), Extent::Gone)).collect()
    }

    async fn run(edits: &Edits, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let (edits, cx) = (edits.clone(), cx.clone());
        blocking(move || delete(&edits, &request, &cx)).await
    }

    fn seen(output: &Output) -> Vec<SeenContent> {
        let gone = output.deleted.iter().flat_map(|deleted| &deleted.gone);
        gone.map(|path| SeenContent { path: path.clone(), hash: None, part: SeenRange::Whole, bytes: None })
            .collect()
    }
}

fn delete(edits: &Edits, request: &Request, cx: &CallCtx) -> Result<Output, Failure> {
    cx.check()?;
    let targets = outermost(&request.targets);
    let hold = apply::hold(edits, cx, targets.iter().map(|target| target.path.clone()).collect())?;
    let mut doomed = Vec::with_capacity(targets.len());
    let mut wrong = Vec::new();
    for target in &targets {
        match look(edits, cx, target, request.directories) {
            Ok(found) => doomed.push(found),
            Err(failure) => wrong.push(failure),
        }
    }
    if !wrong.is_empty() {
        return Err(refused(wrong, targets.len()));
    }
    cx.check()?;
    let drafts = doomed.iter().map(|doomed| draft(cx, doomed)).collect();
    let committed = hold.commit(drafts, &cx.cause).map_err(|error| convert::commit(&error))?;
    let notes = hold.notes().iter().chain(&committed.notes).map(ToString::to_string).collect();
    Ok(Output { deleted: doomed.into_iter().map(deleted).collect(), notes })
}

/// Drops repeated targets, and targets inside another target.
fn outermost(targets: &[Target]) -> Vec<&Target> {
    let mut kept: Vec<&Target> = Vec::new();
    for (number, target) in targets.iter().enumerate() {
        let elsewhere = targets.iter().enumerate().any(|(other, outer)| {
            let same = outer.path == target.path;
            number != other && outer.path.contains(&target.path) && (!same || other < number)
        });
        if !elsewhere {
            kept.push(target);
        }
    }
    kept
}

fn look(
    edits: &Edits,
    cx: &CallCtx,
    target: &Target,
    directories: Directories,
) -> Result<DeletionTarget, Failure> {
    let path = &target.path;
    let stat = match edits.files().workspace().stat(path) {
        Ok(stat) => stat,
        Err(error) if error.why == AccessKind::Missing => {
            return Err(lookup::missing(edits.files(), path, &target.raw_path));
        }
        Err(error) => return Err(convert::access(path, error)),
    };
    if path.is_root() {
        let what = format!("{} is a root of the workspace, which is never deleted.", path.display());
        return Err(Failure::new(Kind::WrongKind, what));
    }
    let mut tree = Vec::new();
    if stat.kind == toolpost_workspace::Kind::Directory {
        if let Directories::Refused(words) = directories {
            let what = format!("{} is a directory: {words}", path.display());
            return Err(Failure::new(Kind::WrongKind, convert::sentence(&what)));
        }
        tree = tree::inside(edits.files(), path, cx)?;
        tree::judge(cx, Access::Writes, path, tree.iter().map(|inside| &inside.path))?;
        tree::unchanged(edits.files(), cx, &tree)?;
    }
    Ok(DeletionTarget { path: path.clone(), stat, tree })
}

fn draft(cx: &CallCtx, doomed: &DeletionTarget) -> Draft {
    let path = doomed.path.clone();
    let seen = || cx.expected.get(&path).copied().or_else(|| Some(cx.session.ledger.seen(&path)?.hash));
    let expect = match doomed.stat.kind {
        toolpost_workspace::Kind::Directory => return Draft { path, action: Action::DeleteTree },
        toolpost_workspace::Kind::File => seen().map_or(Expect::Any, Expect::Hash),
        _ => Expect::Any,
    };
    Draft { path, action: Action::Delete { expect } }
}

fn deleted(doomed: DeletionTarget) -> DeletedEntry {
    let kind = FileKind::from(doomed.stat.kind);
    DeletedEntry {
        path: doomed.path.display(),
        kind,
        bytes: if kind == FileKind::File { doomed.stat.len } else { 0 },
        entries: doomed.tree.len() as u64,
        gone: std::iter::once(doomed.path).chain(doomed.tree.into_iter().map(|inside| inside.path)).collect(),
    }
}

/// Combines the failures of targets into one failure, which states that nothing was deleted. The failure of the only
/// target is returned unchanged. `of` is the number of all targets.
fn refused(mut wrong: Vec<Failure>, of: usize) -> Failure {
    if of == 1
        && let Some(only) = wrong.pop()
    {
        return only;
    }
    let kind = wrong.first().map_or(Kind::Internal, |failure| failure.kind);
    let lines: Vec<&str> = wrong.iter().map(|failure| failure.what.as_str()).collect();
    let what = format!(
        "Nothing was deleted: {} of {of} paths cannot be deleted.\n{}",
        wrong.len(),
        lines.join("\n")
    );
    let mut all = Failure::new(kind, what);
    for hint in wrong.into_iter().flat_map(|failure| failure.hints) {
        if !all.hints.contains(&hint) {
            all.hints.push(hint);
        }
    }
    all
}
