//! `editor_write`: inserts a text at the editor's cursor, or replaces the selection.

pub use super::{Done, Shown, Target};

use super::Point;
use crate::access::resource::EditorUse;
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    editors,
    editors::Editors,
    edits::change::Changed,
    failure::Failure,
    operation::Operation,
    seen::Seen,
};
use schemars::JsonSchema;
use serde::Serialize;

/// The `editor_write` operation.
pub struct EditorWrite;

/// A text and its target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The target.
    pub at: Target,
    /// The text.
    pub content: String,
}

/// The result of the write.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The requested target.
    pub target: Target,
    /// The text.
    pub content: String,
    /// The effect on the text.
    pub done: Done,
    /// The position at which the text begins, if it is known.
    pub at: Option<Point>,
    /// The state of the editor afterwards.
    #[serde(flatten)]
    pub shown: Shown,
    /// The change of the file on the disk, if it was changed.
    pub changed: Option<Changed>,
}

impl Operation for EditorWrite {
    const NAME: &'static str = "editor_write";
    const ACCESS: &'static [Access] = &[Access::Writes, Access::Editor];
    type Capability = Editors;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        vec![Touch::Editor(match request.at {
            Target::Selection => EditorUse::Replace,
            Target::Cursor => EditorUse::Insert,
        })]
    }

    async fn run(editors: &Editors, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let Request { at: target, content } = request;
        let written = editors::write(editors, target, content.clone(), cx).await?;
        let editors::Written { mut shown, at, done, changed } = written;
        if let Some(selection) = &mut shown.selection {
            selection.text = None;
        }
        Ok(Output { target, content, done, at, shown, changed })
    }

    fn seen(output: &Output) -> Vec<Seen> {
        output.changed.iter().flat_map(|file| file.seen.clone()).collect()
    }
}
