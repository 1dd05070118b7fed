//! `editor_move`: opens a file in the editor, or moves its cursor.

pub use super::EditorSnapshot;

use super::Point;
use crate::access::resource::EditorUse;
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    editors,
    editors::Editors,
    failure::Failure,
    operation::Operation,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_workspace::WorkspacePath;

/// The `editor_move` operation, which opens a file in the editor, or moves its cursor.
pub struct EditorMove;

/// The file to open, or the position to which the cursor moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Opens a file.
    Open {
        /// The file to show.
        file: WorkspacePath,
        /// The line for the cursor, counted from 1; `None` keeps the position in the file.
        line: Option<u64>,
    },
    /// Moves the cursor in the active file.
    Goto(Point),
}

/// Action and its result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The requested action.
    pub act: MoveAction,
    /// Editor state after the action.
    #[serde(flatten)]
    pub shown: EditorSnapshot,
}

/// The requested action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MoveAction {
    /// A file was opened.
    Open {
        /// The requested line, counted from 1.
        line: Option<u64>,
    },
    /// The cursor was moved.
    Goto,
}

impl Operation for EditorMove {
    const NAME: &'static str = "editor_move";
    const ACCESS: &'static [Access] = &[Access::Reads, Access::Editor];
    type Capability = Editors;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        match request {
            Request::Open { file, .. } => {
                vec![Touch::Read(file.clone()), Touch::Editor(EditorUse::Open)]
            }
            Request::Goto(_) => vec![Touch::Editor(EditorUse::Goto)],
        }
    }

    async fn run(editors: &Editors, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        Ok(match request {
            Request::Open { file, line } => Output {
                act: MoveAction::Open { line },
                shown: editors::open(editors, file, line, cx).await?,
            },
            Request::Goto(to) => {
                Output { act: MoveAction::Goto, shown: editors::goto(editors, to, cx).await? }
            }
        })
    }
}
