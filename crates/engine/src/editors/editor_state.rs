//! `editor_state`: what is open in the editor, where the cursor stands, what is selected.

pub use super::{Opened, Place, Selection, Shown as Output};

use crate::access::resource::EditorUse;
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    editors,
    editors::Editors,
    failure::Failure,
    operation::Operation,
};

/// Tells how everything stands in the editor.
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
            // Its text is asked for by itself.
            selection.text = None;
        }
        Ok(shown)
    }
}
