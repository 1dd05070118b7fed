//! `editor_write`: inserts a text at the editor's cursor, or replaces the selection.

pub use super::{EditorSnapshot, Target, WriteDestination};

use super::Point;
use crate::access::resource::EditorUse;
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    editors,
    editors::Editors,
    edits::change::ChangedFile,
    failure::Failure,
    operation::Operation,
    seen_content::SeenContent,
};
use schemars::JsonSchema;
use serde::Serialize;

/// The `editor_write` operation, which inserts a text at the editor's cursor, or replaces the selection.
pub struct EditorWrite;

/// A text to write, and its target in the editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The target in the editor: the cursor or the selection.
    pub at: Target,
    /// The text to write.
    pub content: String,
}

/// The result of the write.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The requested target.
    pub target: Target,
    /// The text of the request.
    pub content: String,
    /// The destination of the text: the editor, the file on disk, or none.
    pub done: WriteDestination,
    /// The position at which the text begins, if it is known.
    pub at: Option<Point>,
    /// Editor state after the write.
    #[serde(flatten)]
    pub shown: EditorSnapshot,
    /// The change to the file on disk; `None` unless `done` is `OnDisk`.
    pub changed: Option<ChangedFile>,
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
        let editors::WriteResult { mut shown, at, done, changed } = written;
        if let Some(selection) = &mut shown.selection {
            selection.text = None;
        }
        Ok(Output { target, content, done, at, shown, changed })
    }

    fn seen(output: &Output) -> Vec<SeenContent> {
        output.changed.iter().flat_map(|file| file.seen.clone()).collect()
    }
}
