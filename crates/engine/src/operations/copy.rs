//! `copy`: a file, a link or a directory, a second time.

use crate::{
    Access, CallCtx, Engine, Extent, Failure, Kind, Operation, Touch, changing,
    engine::blocking,
    failures,
    operations::{
        rename::{apart, source, taken},
        stat::FileKind,
    },
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_workspace::{Action, Draft, Expect, WorkspacePath};

/// Copies something.
pub struct Copy;

/// What is to be copied, and where; directories on the way are made, nothing is written over.
#[derive(Debug, Clone)]
pub struct Request {
    /// What is copied, with a link at its end not followed.
    pub from: WorkspacePath,
    /// That name as it was said, to find what was meant if nothing is there.
    pub said: String,
    /// The name of the copy, with a link at its end not followed.
    pub to: WorkspacePath,
}

/// What was copied.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// What was copied, relative to its root.
    pub from: String,
    /// The copy, relative to its root.
    pub to: String,
    /// What it is.
    pub kind: FileKind,
    /// How many bytes the files in it have, or the file itself.
    pub bytes: u64,
    /// How many entries a directory holds.
    pub entries: u64,
    /// What is odd about it.
    pub notes: Vec<String>,
}

impl Operation for Copy {
    const NAME: &'static str = "copy";
    const ACCESS: &'static [Access] = &[Access::Reads, Access::Writes];
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        vec![Touch::Read(request.from.clone()), Touch::Write(request.to.clone(), Extent::Whole)]
    }

    async fn run(engine: &Engine, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let (engine, cx) = (engine.clone(), cx.clone());
        blocking(move || copy(&engine, &request, &cx)).await
    }
}

fn copy(engine: &Engine, request: &Request, cx: &CallCtx) -> Result<Output, Failure> {
    let Request { from, said, to } = request;
    cx.check()?;
    let mut paths = vec![from.clone(), to.clone()];
    paths.sort();
    paths.dedup();
    let hold = engine
        .workspace()
        .hold(&paths, cx.time_left(changing::WAIT))
        .map_err(|error| failures::hold(&error))?;
    let stat = source(engine, from, said)?;
    apart(from, to, "copied")?;
    if stat.kind != toolpost_workspace::Kind::File {
        let what = format!("{} is {}; only files are copied.", from.display(), stat.kind.name());
        return Err(Failure::new(Kind::WrongKind, what));
    }
    let snapshot = engine.workspace().read(from, crate::fresh::LIMIT);
    let snapshot = snapshot.map_err(|error| failures::access(from, error))?;
    cx.check()?;
    let bytes = snapshot.bytes.len() as u64;
    let action = Action::Restore { bytes: snapshot.bytes, expect: Expect::Absent, mode: stat.mode };
    let committed = hold
        .commit(vec![Draft { path: to.clone(), action }], &cx.cause)
        .map_err(|error| taken(failures::commit(&error), to))?;
    Ok(Output {
        from: from.display(),
        to: to.display(),
        kind: FileKind::from(stat.kind),
        bytes,
        entries: 0,
        notes: hold.notes().iter().chain(&committed.notes).map(ToString::to_string).collect(),
    })
}
