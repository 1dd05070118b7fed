//! Editor state for replies.
//!
//! File names are always included, text only if the caller may read the file.

use super::{Buffer, Point, SaveState, SelectionVisibility, Shape, TextSelection, View};
use crate::{call::CallCtx, editors::Editors};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_text::escape;
use toolpost_workspace::WorkspacePath;

/// The state of an editor, as a reply shows it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EditorSnapshot {
    /// The name of the attached editor; `None` if none is attached and the session keeps the state.
    pub editor: Option<String>,
    /// The open files.
    pub open: Vec<EditorFile>,
    /// The index of the active file in `open`, counted from 0; `None` if no file is active.
    pub active: Option<usize>,
    /// The cursor in the active file; `None` if no file is active.
    pub cursor: Option<Point>,
    /// The selection in the active file.
    pub selection: Option<Selection>,
    /// Notes, one sentence each.
    pub notes: Vec<String>,
}

/// An open file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EditorFile {
    /// The path, as replies display it; absolute outside the workspace.
    pub path: String,
    /// Inside or outside the workspace.
    pub place: FileLocation,
    /// Saved, or with unsaved changes.
    pub standing: SaveState,
}

/// Location of a file relative to the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileLocation {
    /// In a root of the workspace.
    Workspace,
    /// Outside the workspace; file tools cannot read or write the file.
    Outside,
}

/// A selection, as a reply shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Selection {
    /// The position of the first character.
    pub from: Point,
    /// The position after the last character.
    pub to: Point,
    /// The shape: characters, lines or a block of columns.
    pub shape: Shape,
    /// The visibility: highlighted, or only remembered by the editor.
    pub sight: SelectionVisibility,
    /// The selected text; `None` if the caller may not read it or did not request it.
    pub text: Option<String>,
    /// The reason why the caller may not see the text; `None` if the caller may see it.
    pub withheld: Option<String>,
    /// Identifies the state of the text, the cursor and the selection, to detect later changes.
    pub token: String,
}

impl EditorSnapshot {
    /// Returns the path of the active file; `None` if no file is active.
    #[must_use]
    pub fn active_file(&self) -> Option<&str> {
        self.active.and_then(|at| self.open.get(at)).map(|opened| opened.path.as_str())
    }
}

/// Resolves the name of a file in the editor; `None` if it is outside the workspace or cannot be resolved.
pub(super) fn inside(editors: &Editors, name: &str) -> Option<WorkspacePath> {
    editors.files().resolve(name).ok()
}

/// Converts the state of an editor for a reply. The selected text is included only if the caller may read
/// the file.
pub(super) fn told(editors: &Editors, cx: &CallCtx, editor: String, view: View) -> EditorSnapshot {
    let View { active, mut open, cursor, selection, token, notes } = view;
    if let Some(name) = active.as_ref().filter(|name| open.iter().all(|buffer| buffer.name != **name)) {
        open.push(Buffer { name: name.clone(), standing: SaveState::Saved });
    }
    let at = active.as_ref().and_then(|name| open.iter().position(|buffer| buffer.name == *name));
    let opened = |buffer: &Buffer| match inside(editors, &buffer.name) {
        Some(path) => {
            EditorFile { path: path.display(), place: FileLocation::Workspace, standing: buffer.standing }
        }
        None => EditorFile {
            path: escape::name(buffer.name.as_bytes()).into_owned(),
            place: FileLocation::Outside,
            standing: buffer.standing,
        },
    };
    let selection = selection.map(|chosen| selected(editors, cx, active.as_deref(), chosen, token));
    EditorSnapshot {
        editor: Some(editor),
        open: open.iter().map(opened).collect(),
        active: at,
        cursor: at.map(|_| cursor),
        selection,
        notes,
    }
}

fn selected(
    editors: &Editors,
    cx: &CallCtx,
    active: Option<&str>,
    chosen: TextSelection,
    token: String,
) -> Selection {
    let withheld = match active.map(|name| inside(editors, name)) {
        None => Some("the selection is not in a file"),
        Some(None) => Some("the file is outside the workspace"),
        Some(Some(path)) if !cx.may_read(&path) => {
            Some("the rules do not allow reading the file without approval")
        }
        Some(Some(_)) => None,
    };
    let TextSelection { from, to, text, shape, sight } = chosen;
    let text = withheld.is_none().then_some(text);
    Selection { from, to, shape, sight, text, withheld: withheld.map(str::to_owned), token }
}
