//! Editor state in replies: file names always, texts only of files that the caller may read.

use super::{Buffer, Chosen, Point, Shape, Sight, Standing, View};
use crate::{call::CallCtx, editors::Editors};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_text::escape;
use toolpost_workspace::WorkspacePath;

/// The state of an editor, as a reply shows it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Shown {
    /// The attached editor; `None` if only the session remembers the state.
    pub editor: Option<String>,
    /// The open files.
    pub open: Vec<Opened>,
    /// The index of the active file, counted from 0.
    pub active: Option<usize>,
    /// The cursor in the active file.
    pub cursor: Option<Point>,
    /// The selection in the active file.
    pub selection: Option<Selection>,
    /// Notes, in a sentence each.
    pub notes: Vec<String>,
}

/// An open file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Opened {
    /// Its path.
    pub path: String,
    /// Its location relative to the workspace.
    pub place: Place,
    /// Its relation to the file on the disk.
    pub standing: Standing,
}

/// Location of a file relative to the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// Inside.
    Workspace,
    /// Outside: no tool reads or writes it.
    Outside,
}

/// A selection, as a reply shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Selection {
    /// Its beginning.
    pub from: Point,
    /// Its end, after its last character.
    pub to: Point,
    /// Its shape.
    pub shape: Shape,
    /// Its visibility to the user.
    pub sight: Sight,
    /// Its text; `None` if it may not be read.
    pub text: Option<String>,
    /// The reason why the text is missing.
    pub withheld: Option<String>,
    /// Identifies the state, to detect later changes.
    pub token: String,
}

impl Shown {
    /// Returns the path of the active file.
    #[must_use]
    pub fn active_file(&self) -> Option<&str> {
        self.active.and_then(|at| self.open.get(at)).map(|opened| opened.path.as_str())
    }
}

/// Finds a file of an editor in the workspace.
pub(super) fn inside(editors: &Editors, name: &str) -> Option<WorkspacePath> {
    editors.files().resolve(name).ok()
}

/// Converts the state of an editor for a reply. The selected text is included only if the caller may read
/// the file.
pub(super) fn told(editors: &Editors, cx: &CallCtx, editor: String, view: View) -> Shown {
    let View { active, mut open, cursor, selection, token, notes } = view;
    if let Some(name) = active.as_ref().filter(|name| open.iter().all(|buffer| buffer.name != **name)) {
        open.push(Buffer { name: name.clone(), standing: Standing::Saved });
    }
    let at = active.as_ref().and_then(|name| open.iter().position(|buffer| buffer.name == *name));
    let opened = |buffer: &Buffer| match inside(editors, &buffer.name) {
        Some(path) => Opened { path: path.display(), place: Place::Workspace, standing: buffer.standing },
        None => Opened {
            path: escape::name(buffer.name.as_bytes()).into_owned(),
            place: Place::Outside,
            standing: buffer.standing,
        },
    };
    let selection = selection.map(|chosen| selected(editors, cx, active.as_deref(), chosen, token));
    Shown {
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
    chosen: Chosen,
    token: String,
) -> Selection {
    let withheld = match active.map(|name| inside(editors, name)) {
        None => Some("it stands in no file of the workspace"),
        Some(None) => Some("the file lies outside of the workspace"),
        Some(Some(path)) if !cx.may_read(&path) => {
            Some("the rules do not let the file be read without asking")
        }
        Some(Some(_)) => None,
    };
    let Chosen { from, to, text, shape, sight } = chosen;
    let text = withheld.is_none().then_some(text);
    Selection { from, to, shape, sight, text, withheld: withheld.map(str::to_owned), token }
}
