//! `editor_write`: a text goes to the cursor of the editor, or in the place of what is selected.

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

/// Writes a text where the cursor or the selection is.
pub struct EditorWrite;

/// What goes where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Where.
    pub at: Target,
    /// The text.
    pub content: String,
}

/// What came of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Where it was to go.
    pub target: Target,
    /// The text.
    pub content: String,
    /// What was done with it.
    pub done: Done,
    /// Where it begins, where that is known.
    pub at: Option<Point>,
    /// How everything stands now.
    #[serde(flatten)]
    pub shown: Shown,
    /// What became of the file on the disk, where it was changed.
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
