//! Editors: the interface to an attached editor, and the session state that replaces a missing one.

mod attached;
pub(crate) mod buffers;
pub mod editor_move;
pub mod editor_selection;
pub mod editor_state;
pub mod editor_write;
mod own;
mod shown;

use own::Own;
pub use shown::{Opened, Place, Selection, Shown};

use crate::{
    call::{Asking, CallCtx},
    edits::Edits,
    failure::{Failure, Hint, Kind},
    files::Files,
    workers::blocking,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use toolpost_workspace::WorkspacePath;

/// An attached editor: Neovim, a console, an IDE.
pub trait Editor: Send + Sync {
    /// Returns its name for users, such as `Neovim at /run/user/1000/nvim.7.0`.
    fn name(&self) -> String;

    /// Performs one action within the time of a call, and returns the state afterwards.
    ///
    /// Writes are refused with `Stale` if the token differs from the editor's current one. One step of the
    /// editor's undo reverts a write.
    fn ask<'a>(&'a self, act: Act<'a>, cx: &'a CallCtx) -> Asking<'a, View>;
}

/// An action of an editor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act<'a> {
    /// Return the state.
    Look,
    /// Show a file, at a line if one is named.
    Open {
        /// The file.
        file: &'a WorkspacePath,
        /// The line, counted from 1; a line after the end means the last one.
        line: Option<u64>,
    },
    /// Move the cursor within its file.
    Goto(Point),
    /// Replace the selection with a text.
    Replace {
        /// The text, with LF line endings.
        content: &'a str,
        /// The token of the state on which the decision was based.
        token: &'a str,
    },
    /// Insert a text before the cursor.
    Insert {
        /// The text, with LF line endings.
        content: &'a str,
        /// The token of the state on which the decision was based.
        token: &'a str,
    },
}

/// A position in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Point {
    /// The line, counted from 1.
    pub line: u64,
    /// The character after the position, counted from 1.
    pub column: u64,
}

impl Point {
    /// The beginning of a text.
    pub const START: Self = Self { line: 1, column: 1 };
}

/// The state of an editor at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// The file with the cursor, by its absolute path; `None` if the cursor is not in a file.
    pub active: Option<String>,
    /// The open files, by their absolute paths.
    pub open: Vec<Buffer>,
    /// The cursor, in the active file.
    pub cursor: Point,
    /// The selection in the active file.
    pub selection: Option<Chosen>,
    /// Identifies the state of the text, the cursor and the selection, to detect later changes.
    pub token: String,
    /// Notes, in a sentence each.
    pub notes: Vec<String>,
}

/// An open file in an editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buffer {
    /// Its absolute path.
    pub name: String,
    /// Its relation to the file on the disk.
    pub standing: Standing,
}

/// Relation of a buffer to its file on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// The file has the content of the buffer.
    Saved,
    /// The buffer has changes that are not saved yet.
    Unsaved,
}

/// A selection in an editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// Its beginning.
    pub from: Point,
    /// Its end, after its last character.
    pub to: Point,
    /// Its text, with LF line endings.
    pub text: String,
    /// Its shape.
    pub shape: Shape,
    /// Its visibility to the user.
    pub sight: Sight,
}

/// Shape of a selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// All characters from one position to another.
    Characters,
    /// Whole lines.
    Lines,
    /// A range of columns in each of some lines.
    Block,
}

/// Visibility of a selection to the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sight {
    /// It is highlighted.
    Current,
    /// It was the last selection, and is no longer highlighted.
    Last,
}

/// Editor state that a session remembers.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// The files that were opened without an attached editor.
    pub(crate) own: Own,
    /// The token of the attached editor's state when this session last saw it.
    pub(crate) token: Option<String>,
}

/// Memory of a session, shared by its calls.
#[derive(Debug, Default)]
pub(crate) struct SharedMemory(Mutex<Memory>);

impl SharedMemory {
    /// Locks the memory.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Memory> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the editor memory of a call's session.
pub(crate) fn memory(cx: &CallCtx) -> Arc<SharedMemory> {
    cx.session.state()
}

/// The attached editor, and the treatment of insertions without one.
#[derive(Clone, Default)]
pub struct Editing {
    /// The attached editor.
    pub editor: Option<Arc<dyn Editor>>,
    /// The treatment of insertions without an attached editor.
    pub without: Without,
}

/// The user's editor, or its replacement in the session. Clones share their state.
#[derive(Clone)]
pub struct Editors {
    edits: Edits,
    editing: Editing,
}

impl Editors {
    /// Opens the capability.
    pub(crate) fn new(edits: Edits, editing: Editing) -> Self {
        Self { edits, editing }
    }

    /// The attached editor and its settings.
    #[must_use]
    pub fn editing(&self) -> &Editing {
        &self.editing
    }

    /// Changes of files, if no editor is attached.
    pub(crate) fn edits(&self) -> &Edits {
        &self.edits
    }

    /// Files of the workspace.
    pub(crate) fn files(&self) -> &Files {
        self.edits.files()
    }
}

/// The treatment of an insertion if no editor is attached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Without {
    /// The reply passes the text to the client, which can insert it.
    #[default]
    Told,
    /// It is written into the file.
    Applied,
}

/// Returns the state of the editor.
pub(crate) async fn look(editors: &Editors, cx: &CallCtx) -> Result<Shown, Failure> {
    match attached(editors) {
        Some(editor) => attached::look(editors, &editor, cx).await,
        None => own(editors, cx, |editors, cx| Ok(memory(cx).lock().own.shown(editors))).await,
    }
}

/// Opens a file.
pub(crate) async fn open(
    editors: &Editors,
    file: WorkspacePath,
    line: Option<u64>,
    cx: &CallCtx,
) -> Result<Shown, Failure> {
    match attached(editors) {
        Some(editor) => attached::open(editors, &editor, &file, line, cx).await,
        None => own(editors, cx, move |editors, cx| own::open(editors, cx, &file, line)).await,
    }
}

/// Moves the cursor.
pub(crate) async fn goto(editors: &Editors, to: Point, cx: &CallCtx) -> Result<Shown, Failure> {
    match attached(editors) {
        Some(editor) => attached::goto(editors, &editor, to, cx).await,
        None => own(editors, cx, move |editors, cx| own::goto(editors, cx, to)).await,
    }
}

/// Writes a text over the selection, or before the cursor.
pub(crate) async fn write(
    editors: &Editors,
    at: Target,
    content: String,
    cx: &CallCtx,
) -> Result<Written, Failure> {
    match attached(editors) {
        Some(editor) => attached::write(editors, &editor, at, &content, cx).await,
        None => own(editors, cx, move |editors, cx| own::write(editors, cx, at, content)).await,
    }
}

/// The target of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// Replaces the selection.
    Selection,
    /// Inserts before the cursor.
    Cursor,
}

/// The result of a write.
pub(crate) struct Written {
    /// The state of the editor afterwards.
    pub(crate) shown: Shown,
    /// The position at which the text begins, if it is known.
    pub(crate) at: Option<Point>,
    /// The effect on the text.
    pub(crate) done: Done,
    /// The change of the file on the disk, if it was changed.
    pub(crate) changed: Option<crate::edits::change::Changed>,
}

/// The effect of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Done {
    /// Nothing was written: the client can do it.
    Told,
    /// The text is in the editor, which has not saved it.
    InEditor,
    /// The text is in the file.
    OnDisk,
}

fn attached(editors: &Editors) -> Option<Arc<dyn Editor>> {
    editors.editing().editor.clone()
}

/// Runs work that needs the disk and no editor.
async fn own<T: Send + 'static>(
    editors: &Editors,
    cx: &CallCtx,
    work: impl FnOnce(&Editors, &CallCtx) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    cx.check()?;
    let (editors, cx) = (editors.clone(), cx.clone());
    blocking(move || work(&editors, &cx)).await
}

/// A hint about attaching an editor.
fn attaching() -> Hint {
    let words =
        "The user can attach Neovim: with --editor nvim:SOCKET, or by starting Toolpost in its terminal.";
    Hint::Advice(words.to_owned())
}

/// The refusal if no file is open.
fn nothing_open() -> Failure {
    Failure::new(Kind::NotFound, "No file is open, so there is no cursor.")
        .hint(Hint::Advice("Open a file first.".to_owned()))
}
