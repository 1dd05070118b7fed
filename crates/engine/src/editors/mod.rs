//! Editors: the interface to an attached editor, and the session state that is used if none is attached.

mod attached;
pub(crate) mod buffers;
pub mod editor_move;
pub mod editor_selection;
pub mod editor_state;
pub mod editor_write;
mod session_tabs;
mod snapshot;

use session_tabs::SessionTabs;
pub use snapshot::{EditorFile, EditorSnapshot, FileLocation, Selection};

use crate::{
    call::{AnswerFuture, CallCtx},
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
    /// Returns the name that users see, such as `Neovim at /run/user/1000/nvim.7.0`.
    fn name(&self) -> String;

    /// Performs one action before the deadline of the call, and returns the state afterwards.
    ///
    /// A write is refused with `Stale` if its token differs from the editor's current one. One undo step of
    /// the editor reverts a write.
    fn ask<'a>(&'a self, act: EditorAction<'a>, cx: &'a CallCtx) -> AnswerFuture<'a, View>;
}

/// An action that an attached editor performs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditorAction<'a> {
    /// Return the state without a change.
    Look,
    /// Show a file.
    Open {
        /// The file to show.
        file: &'a WorkspacePath,
        /// The line for the cursor, counted from 1; a line after the end means the last one. `None` leaves
        /// the position to the editor.
        line: Option<u64>,
    },
    /// Move the cursor within its file.
    Goto(Point),
    /// Replace the selection with a text.
    Replace {
        /// The text, with LF line endings.
        content: &'a str,
        /// The token of the editor state that the caller saw; a write is refused as stale if the state has
        /// changed.
        token: &'a str,
    },
    /// Insert a text before the cursor.
    Insert {
        /// The text, with LF line endings.
        content: &'a str,
        /// The token of the editor state that the caller saw; a write is refused as stale if the state has
        /// changed.
        token: &'a str,
    },
}

/// A position in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Point {
    /// The line, counted from 1.
    pub line: u64,
    /// The column, counted from 1 in characters; the position is before the character in this column.
    pub column: u64,
}

impl Point {
    /// The beginning of a text.
    pub const START: Self = Self { line: 1, column: 1 };
}

/// The state of an editor at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// The absolute path of the file with the cursor; `None` if the cursor is not in a file.
    pub active: Option<String>,
    /// The open files.
    pub open: Vec<Buffer>,
    /// The cursor, in the active file.
    pub cursor: Point,
    /// The selection in the active file; `None` if nothing is or was selected.
    pub selection: Option<TextSelection>,
    /// Identifies the state of the text, the cursor and the selection, to detect later changes.
    pub token: String,
    /// Notes for the reply, one sentence each.
    pub notes: Vec<String>,
}

/// An open file in an editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buffer {
    /// The absolute path of the file.
    pub name: String,
    /// Saved, or with unsaved changes.
    pub standing: SaveState,
}

/// State of an editor's buffer compared with the file on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SaveState {
    /// The file has the content of the buffer.
    Saved,
    /// The buffer has changes that are not saved yet.
    Unsaved,
}

/// A selection in an editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextSelection {
    /// The position of the first character.
    pub from: Point,
    /// The position after the last character.
    pub to: Point,
    /// The selected text, with LF line endings.
    pub text: String,
    /// The shape: characters, lines or a block of columns.
    pub shape: Shape,
    /// The visibility: highlighted, or only remembered by the editor.
    pub sight: SelectionVisibility,
}

/// Shape of a selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// All characters from one position to another.
    Characters,
    /// Whole lines.
    Lines,
    /// The same columns in several lines.
    Block,
}

/// Visibility of a selection to the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SelectionVisibility {
    /// The selection is highlighted.
    Current,
    /// The selection was the last one, and is no longer highlighted.
    Last,
}

/// Editor state that a session remembers.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// The files that were opened without an attached editor.
    pub(crate) own: SessionTabs,
    /// The token of the attached editor's state when this session last saw it; `None` if the session has not seen it
    /// yet.
    pub(crate) token: Option<String>,
}

/// The editor state that a session remembers, shared by its calls.
#[derive(Debug, Default)]
pub(crate) struct SharedMemory(Mutex<Memory>);

impl SharedMemory {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Memory> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the editor memory of a call's session.
pub(crate) fn memory(cx: &CallCtx) -> Arc<SharedMemory> {
    cx.session.state()
}

/// The attached editor, and the fallback for text that a call inserts while none is attached.
#[derive(Clone, Default)]
pub struct EditorSetup {
    /// The attached editor, if any.
    pub editor: Option<Arc<dyn Editor>>,
    /// The fallback for text that a call inserts at the cursor while no editor is attached.
    pub without: InsertionFallback,
}

/// The attached editor, or the session state that is used if none is attached. Clones share their state.
#[derive(Clone)]
pub struct Editors {
    edits: Edits,
    editing: EditorSetup,
}

impl Editors {
    pub(crate) fn new(edits: Edits, editing: EditorSetup) -> Self {
        Self { edits, editing }
    }

    /// Returns the attached editor, and the fallback for text that a call inserts while none is attached.
    #[must_use]
    pub fn editing(&self) -> &EditorSetup {
        &self.editing
    }

    /// Returns the file operations that insert text into files if no editor is attached.
    pub(crate) fn edits(&self) -> &Edits {
        &self.edits
    }

    pub(crate) fn files(&self) -> &Files {
        self.edits.files()
    }
}

/// The fallback for text that a call inserts at the cursor while no editor is attached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum InsertionFallback {
    /// The reply passes the text to the client, which can insert it.
    #[default]
    Told,
    /// The text is written into the file.
    Applied,
}

/// Returns the state of the attached editor, or the files that the session has opened if none is attached.
pub(crate) async fn look(editors: &Editors, cx: &CallCtx) -> Result<EditorSnapshot, Failure> {
    match attached(editors) {
        Some(editor) => attached::look(editors, &editor, cx).await,
        None => own(editors, cx, |editors, cx| Ok(memory(cx).lock().own.shown(editors))).await,
    }
}

/// Opens a file in the attached editor, or in the session if no editor is attached.
pub(crate) async fn open(
    editors: &Editors,
    file: WorkspacePath,
    line: Option<u64>,
    cx: &CallCtx,
) -> Result<EditorSnapshot, Failure> {
    match attached(editors) {
        Some(editor) => attached::open(editors, &editor, &file, line, cx).await,
        None => own(editors, cx, move |editors, cx| session_tabs::open(editors, cx, &file, line)).await,
    }
}

pub(crate) async fn goto(editors: &Editors, to: Point, cx: &CallCtx) -> Result<EditorSnapshot, Failure> {
    match attached(editors) {
        Some(editor) => attached::goto(editors, &editor, to, cx).await,
        None => own(editors, cx, move |editors, cx| session_tabs::goto(editors, cx, to)).await,
    }
}

/// Replaces the selection with a text, or inserts a text before the cursor.
pub(crate) async fn write(
    editors: &Editors,
    at: Target,
    content: String,
    cx: &CallCtx,
) -> Result<WriteResult, Failure> {
    match attached(editors) {
        Some(editor) => attached::write(editors, &editor, at, &content, cx).await,
        None => own(editors, cx, move |editors, cx| session_tabs::write(editors, cx, at, content)).await,
    }
}

/// The target of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// The text replaces the selection.
    Selection,
    /// The text is inserted before the cursor.
    Cursor,
}

/// The result of writing a text at the cursor or in place of the selection.
pub(crate) struct WriteResult {
    /// The state of the editor after the write.
    pub(crate) shown: EditorSnapshot,
    /// The position at which the text begins, if it is known.
    pub(crate) at: Option<Point>,
    /// The destination of the text: the editor, the file on disk, or none.
    pub(crate) done: WriteDestination,
    /// The change to the file on disk; `None` unless `done` is `OnDisk`.
    pub(crate) changed: Option<crate::edits::change::ChangedFile>,
}

/// The destination of a written text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WriteDestination {
    /// Nothing was written: the client can insert the text.
    Told,
    /// The text is in the editor's buffer, which is not saved.
    InEditor,
    /// The text is in the file on disk.
    OnDisk,
}

fn attached(editors: &Editors) -> Option<Arc<dyn Editor>> {
    editors.editing().editor.clone()
}

/// Runs disk work on a blocking thread, for sessions without an attached editor.
async fn own<T: Send + 'static>(
    editors: &Editors,
    cx: &CallCtx,
    work: impl FnOnce(&Editors, &CallCtx) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    cx.check()?;
    let (editors, cx) = (editors.clone(), cx.clone());
    blocking(move || work(&editors, &cx)).await
}

/// Returns the hint that explains how to attach an editor.
fn attaching() -> Hint {
    let words =
        "The user can attach Neovim with --editor nvim:SOCKET, or by starting Toolpost in Neovim's terminal.";
    Hint::Advice(words.to_owned())
}

/// Returns the failure of a call that needs an open file.
fn nothing_open() -> Failure {
    Failure::new(Kind::NotFound, "No file is open, so there is no cursor.")
        .hint(Hint::Advice("Open a file first.".to_owned()))
}
