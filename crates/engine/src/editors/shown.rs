//! What a caller is told of an editor: names everywhere, texts only of files that it may read.

use super::{Buffer, Chosen, Point, Shape, Sight, Standing, View};
use crate::{call::CallCtx, editors::Editors};
use schemars::JsonSchema;
use serde::Serialize;
use toolpost_text::escape;
use toolpost_workspace::WorkspacePath;

/// How everything stands, as it is told.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Shown {
    /// The editor that is attached; none where the session alone remembers.
    pub editor: Option<String>,
    /// The files that are open.
    pub open: Vec<Opened>,
    /// Which of them is active, counted from 0.
    pub active: Option<usize>,
    /// The cursor in it.
    pub cursor: Option<Point>,
    /// What is selected in it.
    pub selection: Option<Selection>,
    /// What is odd, in a sentence each.
    pub notes: Vec<String>,
}

/// A file that is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Opened {
    /// Its path.
    pub path: String,
    /// Whether it lies in the workspace.
    pub place: Place,
    /// Whether the disk has what the editor has.
    pub standing: Standing,
}

/// Whether a file lies in the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// It does.
    Workspace,
    /// It does not: no tool reads or writes it.
    Outside,
}

/// What is selected, as it is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Selection {
    /// Where it begins.
    pub from: Point,
    /// Where it ends, behind its last character.
    pub to: Point,
    /// Which sort of selection it is.
    pub shape: Shape,
    /// Whether the user sees it now.
    pub sight: Sight,
    /// Its text; none where it may not be read.
    pub text: Option<String>,
    /// Why the text is not given.
    pub withheld: Option<String>,
    /// By what it is known whether something has moved since.
    pub token: String,
}

impl Shown {
    /// Gives the path of the active file.
    #[must_use]
    pub fn active_file(&self) -> Option<&str> {
        self.active.and_then(|at| self.open.get(at)).map(|opened| opened.path.as_str())
    }
}

/// Finds a file of an editor in the workspace.
pub(super) fn inside(editors: &Editors, name: &str) -> Option<WorkspacePath> {
    editors.files().resolve(name).ok()
}

/// Tells what an editor has said; the text that is selected only where the caller may read the file.
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
        Some(Some(path)) if !(cx.may_read)(&path) => {
            Some("the rules do not let the file be read without asking")
        }
        Some(Some(_)) => None,
    };
    let Chosen { from, to, text, shape, sight } = chosen;
    let text = withheld.is_none().then_some(text);
    Selection { from, to, shape, sight, text, withheld: withheld.map(str::to_owned), token }
}
