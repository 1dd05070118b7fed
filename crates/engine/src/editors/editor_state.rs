//! `editor_state`: the open files, the cursor and the selection of the editor.

pub use super::{EditorFile, EditorSnapshot as Output, FileLocation, Selection};

use crate::access::resource::EditorUse;
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    editors,
    editors::Editors,
    failure::Failure,
    operation::Operation,
};

/// The `editor_state` operation, which shows the open files, the cursor and the selection of the editor.
pub struct EditorState;

impl Operation for EditorState {
    const NAME: &'static str = "editor_state";
    const ACCESS: &'static [Access] = &[Access::Editor];
    type Capability = Editors;
    type Request = ();
    type Output = Output;

    fn touches(_request: &()) -> Vec<Touch> {
        vec![Touch::Editor(EditorUse::Look)]
    }

    async fn run(editors: &Editors, _request: (), cx: &CallCtx) -> Result<Output, Failure> {
        let mut shown = editors::look(editors, cx).await?;
        if let Some(selection) = &mut shown.selection {
            // The text is only in the reply of `editor_selection`.
            selection.text = None;
        }
        Ok(shown)
    }
}
