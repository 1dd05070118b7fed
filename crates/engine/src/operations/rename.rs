//! `rename`: another name or place for a file, a link or a directory.

use crate::{
    Access, CallCtx, Engine, Extent, Failure, Hint, Kind, Operation, Touch, changing,
    engine::blocking,
    failures,
    operations::stat::FileKind,
    show::find,
    trees::{self, Inside},
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_workspace::{AccessKind, Action, Draft, Overwrite, Stat, WorkspacePath};

/// Gives something another name.
pub struct Rename;

/// What is to be moved, and where; directories on the way are made, nothing is written over.
#[derive(Debug, Clone)]
pub struct Request {
    /// The name now, with a link at its end not followed.
    pub from: WorkspacePath,
    /// That name as it was said, to find what was meant if nothing is there.
    pub said: String,
    /// The new name, with a link at its end not followed.
    pub to: WorkspacePath,
}

/// What was moved.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The name before, relative to its root.
    pub from: String,
    /// The name now, relative to its root.
    pub to: String,
    /// What it is.
    pub kind: FileKind,
    /// How many bytes it has; of a directory, 0.
    pub bytes: u64,
    /// How many entries went with a directory.
    pub entries: u64,
    /// What is odd about it.
    pub notes: Vec<String>,
}

impl Operation for Rename {
    const NAME: &'static str = "rename";
    const ACCESS: &'static [Access] = &[Access::Reads, Access::Writes];
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        // Under its new name a file might be read that is kept under the old one, so a move reads, too.
        vec![
            Touch::Read(request.from.clone()),
            Touch::Write(request.from.clone(), Extent::Gone),
            Touch::Write(request.to.clone(), Extent::Whole),
        ]
    }

    async fn run(engine: &Engine, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let (engine, cx) = (engine.clone(), cx.clone());
        blocking(move || rename(&engine, &request, &cx)).await
    }
}

fn rename(engine: &Engine, request: &Request, cx: &CallCtx) -> Result<Output, Failure> {
    let Request { from, said, to } = request;
    cx.check()?;
    let hold = changing::hold(engine, cx, vec![from.clone(), to.clone()])?;
    let stat = source(engine, from, said)?;
    if from == to {
        let what = format!("{} already has this name; nothing was moved.", from.display());
        return Err(Failure::invalid(what));
    }
    apart(from, to, "moved")?;
    let tree = tree(engine, cx, from, to, &stat)?;
    if stat.kind == toolpost_workspace::Kind::File {
        trees::as_seen(engine, cx, from)?;
    }
    trees::unchanged(engine, cx, &tree)?;
    cx.check()?;
    let action = Action::Move { to: to.clone(), overwrite: Overwrite::Refuse };
    let committed = hold
        .commit(vec![Draft { path: from.clone(), action }], &cx.cause)
        .map_err(|error| taken(failures::commit(&error), to))?;
    cx.session.ledger.forget(to); // whatever was seen there once is not what is there now
    cx.session.ledger.moved(from, to);
    let kind = FileKind::from(stat.kind);
    Ok(Output {
        from: from.display(),
        to: to.display(),
        kind,
        bytes: if kind == FileKind::File { stat.len } else { 0 },
        entries: tree.len() as u64,
        notes: hold.notes().iter().chain(&committed.notes).map(ToString::to_string).collect(),
    })
}

/// Finds out what is to be taken elsewhere.
pub(super) fn source(engine: &Engine, from: &WorkspacePath, said: &str) -> Result<Stat, Failure> {
    if from.is_root() {
        let what = format!("{} is a root of the workspace, which stays where it is.", from.display());
        return Err(Failure::new(Kind::WrongKind, what));
    }
    engine.workspace().stat(from).map_err(|error| match error.why {
        AccessKind::Missing => find::missing(engine, from, said),
        _ => failures::access(from, error),
    })
}

/// Refuses a place that lies in what is to be put there.
pub(super) fn apart(from: &WorkspacePath, to: &WorkspacePath, done: &str) -> Result<(), Failure> {
    if !from.contains(to) {
        return Ok(());
    }
    let what = format!("{} cannot be {done} into itself, to {}.", from.display(), to.display());
    Err(Failure::invalid(what).hint(Hint::Advice("Name a place outside of it.".to_owned())))
}

/// Lists what goes with a directory; each file must be free to be read and to leave, and its new place to be written.
fn tree(
    engine: &Engine,
    cx: &CallCtx,
    from: &WorkspacePath,
    to: &WorkspacePath,
    stat: &Stat,
) -> Result<Vec<Inside>, Failure> {
    if stat.kind != toolpost_workspace::Kind::Directory {
        return Ok(Vec::new());
    }
    let tree = trees::inside(engine, from, cx)?;
    let old = || tree.iter().map(|inside| &inside.path);
    trees::judge(cx, Access::Reads, from, old())?;
    trees::judge(cx, Access::Writes, from, old())?;
    trees::judge(cx, Access::Writes, to, &trees::beneath(from, to, &tree))?;
    Ok(tree)
}

/// Says how to go on where the new place is taken.
pub(super) fn taken(failure: Failure, to: &WorkspacePath) -> Failure {
    if failure.kind != Kind::Conflict {
        return failure;
    }
    let advice = format!(
        "Choose a name that is free, or delete {} first if it is meant to go; for a place inside of a directory, name \
         the file in it.",
        to.display()
    );
    Failure { hints: vec![Hint::Advice(advice)], ..failure }
}
