//! The `make_directory` operation: creates a directory and its missing parents.

use super::change::apply;
use crate::{
    access::{Access, Extent, Touch},
    call::CallCtx,
    edits::Edits,
    failure::{Failure, Kind, convert},
    operation::{Effect, Operation},
    workers::blocking,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_workspace::{Action, CommitKind, Draft, Outcome, WorkspacePath};

/// The `make_directory` operation, which creates a directory and its missing parents.
pub struct MakeDirectory;

/// A directory to create, with its missing parents.
#[derive(Debug, Clone)]
pub struct Request {
    /// The path of the directory to create.
    pub path: WorkspacePath,
}

/// The directory after the call.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The directory, relative to its root.
    pub path: String,
    /// True if the directory existed before.
    pub existed: bool,
    /// Notes about the directory.
    pub notes: Vec<String>,
}

impl Operation for MakeDirectory {
    const NAME: &'static str = "make_directory";
    const ACCESS: &'static [Access] = &[Access::Writes];
    const EFFECT: Effect = Effect::Adds;
    type Capability = Edits;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        vec![Touch::Write(request.path.clone(), Extent::Whole)]
    }

    async fn run(edits: &Edits, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let (edits, cx) = (edits.clone(), cx.clone());
        blocking(move || make(&edits, &request.path, &cx)).await
    }
}

fn make(edits: &Edits, path: &WorkspacePath, cx: &CallCtx) -> Result<Output, Failure> {
    cx.check()?;
    if path.is_root() {
        return Ok(Output { path: path.display(), existed: true, notes: Vec::new() });
    }
    let hold = apply::hold(edits, cx, vec![path.clone()])?;
    let draft = Draft { path: path.clone(), action: Action::MakeDirectory };
    let committed = hold.commit(vec![draft], &cx.cause).map_err(|error| match error.why {
        CommitKind::Exists => {
            let what = format!("{} exists and is not a directory; nothing was changed.", path.display());
            Failure::new(Kind::WrongKind, what)
        }
        _ => convert::commit(&error),
    })?;
    let existed = committed.changes.iter().all(|change| change.outcome == Outcome::NoChange);
    let notes = hold.notes().iter().chain(&committed.notes).map(ToString::to_string).collect();
    Ok(Output { path: path.display(), existed, notes })
}
