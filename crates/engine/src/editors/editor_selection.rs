//! `editor_selection`: the selection in the editor, with its text.

pub use super::{EditorSnapshot as Output, Selection};

use crate::access::resource::EditorUse;
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    editors,
    editors::Editors,
    failure::Failure,
    operation::Operation,
};

/// The `editor_selection` operation, which shows the selection in the editor, with its text.
pub struct EditorSelection;

impl Operation for EditorSelection {
    const NAME: &'static str = "editor_selection";
    const ACCESS: &'static [Access] = &[Access::Editor];
    type Capability = Editors;
    type Request = ();
    type Output = Output;

    fn touches(_request: &()) -> Vec<Touch> {
        vec![Touch::Editor(EditorUse::Look)]
    }

    async fn run(editors: &Editors, _request: (), cx: &CallCtx) -> Result<Output, Failure> {
        editors::look(editors, cx).await
    }
}
