//! The `rename` operation: moves or renames a file, a link or a directory.

use super::{
    change::apply,
    move_copy,
    tree::{self, TreeEntry},
};
use crate::{
    access::{Access, Extent, Touch},
    call::CallCtx,
    edits::Edits,
    failure::{Failure, convert},
    files::stat::FileKind,
    operation::{Effect, Operation},
    workers::blocking,
};
use toolpost_workspace::{Action, Draft, Overwrite, Stat, WorkspacePath};

pub use super::move_copy::{Output, Request};

/// The `rename` operation, which moves or renames a file, a link or a directory.
pub struct Rename;

impl Operation for Rename {
    const NAME: &'static str = "rename";
    const ACCESS: &'static [Access] = &[Access::Reads, Access::Writes];
    const EFFECT: Effect = Effect::Replaces;
    type Capability = Edits;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        // A file that the rules protect at the old path could become readable at the new one, so a move also
        // needs permission to read.
        vec![
            Touch::Read(request.from.clone()),
            Touch::Write(request.from.clone(), Extent::Gone),
            Touch::Write(request.to.clone(), Extent::Whole),
        ]
    }

    async fn run(edits: &Edits, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let (edits, cx) = (edits.clone(), cx.clone());
        blocking(move || rename(&edits, &request, &cx)).await
    }
}

fn rename(edits: &Edits, request: &Request, cx: &CallCtx) -> Result<Output, Failure> {
    let Request { from, raw_path, to } = request;
    cx.check()?;
    let hold = apply::hold(edits, cx, vec![from.clone(), to.clone()])?;
    let stat = move_copy::source(edits.files(), from, raw_path)?;
    if from == to {
        let what = format!("{} already has this name; nothing was moved.", from.display());
        return Err(Failure::invalid(what));
    }
    move_copy::apart(from, to, "moved")?;
    let tree = tree(edits, cx, from, to, &stat)?;
    if stat.kind == toolpost_workspace::Kind::File {
        tree::as_seen(edits.files(), cx, from)?;
    }
    tree::unchanged(edits.files(), cx, &tree)?;
    cx.check()?;
    let action = Action::Move { to: to.clone(), overwrite: Overwrite::Refuse };
    let committed = hold
        .commit(vec![Draft { path: from.clone(), action }], &cx.cause)
        .map_err(|error| move_copy::taken(&error, convert::commit(&error), to))?;
    cx.session.ledger.forget(to); // the content that was seen under this name is gone
    cx.session.ledger.moved(from, to);
    let kind = FileKind::from(stat.kind);
    Ok(Output {
        from: from.display(),
        to: to.display(),
        kind,
        bytes: if kind == FileKind::File { stat.len } else { 0 },
        entries: tree.len() as u64,
        notes: hold.notes().iter().chain(&committed.notes).map(ToString::to_string).collect(),
        seen: Vec::new(),
    })
}

/// Lists the content of a directory; empty for a file or a link. Fails unless the rules allow every entry to
/// be read and removed, and every target to be written.
fn tree(
    edits: &Edits,
    cx: &CallCtx,
    from: &WorkspacePath,
    to: &WorkspacePath,
    stat: &Stat,
) -> Result<Vec<TreeEntry>, Failure> {
    if stat.kind != toolpost_workspace::Kind::Directory {
        return Ok(Vec::new());
    }
    let tree = tree::inside(edits.files(), from, cx)?;
    let old = || tree.iter().map(|inside| &inside.path);
    tree::judge(cx, Access::Reads, from, old())?;
    tree::judge(cx, Access::Writes, from, old())?;
    tree::judge(cx, Access::Writes, to, &tree::beneath(from, to, &tree))?;
    Ok(tree)
}
