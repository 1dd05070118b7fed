//! Editors: what an attached one can do, and what a session remembers where none is attached.

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

/// An editor that is attached: Neovim, a console, an IDE.
pub trait Editor: Send + Sync {
    /// Names it for people, such as `Neovim at /run/user/1000/nvim.7.0`.
    fn name(&self) -> String;

    /// Does one thing, in the time of a call; tells how everything stands afterwards.
    ///
    /// What writes is refused with `Stale` where the token is not the one that the editor has now, and is undone by one step of
    /// its own undo.
    fn ask<'a>(&'a self, act: Act<'a>, cx: &'a CallCtx) -> Asking<'a, View>;
}

/// What an editor is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act<'a> {
    /// Tell how everything stands.
    Look,
    /// Show a file, at a line where one is named.
    Open {
        /// The file.
        file: &'a WorkspacePath,
        /// The line, counted from 1; behind the end the last one is meant.
        line: Option<u64>,
    },
    /// Put the cursor elsewhere in the file that it is in.
    Goto(Point),
    /// Put a text in the place of what is selected.
    Replace {
        /// The text, with LF.
        content: &'a str,
        /// How everything stood when that was decided.
        token: &'a str,
    },
    /// Put a text in front of the cursor.
    Insert {
        /// The text, with LF.
        content: &'a str,
        /// How everything stood when that was decided.
        token: &'a str,
    },
}

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Point {
    /// The line, counted from 1.
    pub line: u64,
    /// The character in front of which it is, counted from 1.
    pub column: u64,
}

impl Point {
    /// The beginning of a text.
    pub const START: Self = Self { line: 1, column: 1 };
}

/// How everything stands in an editor at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// The file in which the cursor is, by its absolute name; none where it is no file.
    pub active: Option<String>,
    /// The files that are open, by their absolute names.
    pub open: Vec<Buffer>,
    /// The cursor, in the active file.
    pub cursor: Point,
    /// What is selected in the active file.
    pub selection: Option<Chosen>,
    /// By what it is known later whether something moved: the text, the cursor or the selection.
    pub token: String,
    /// What is odd, in a sentence each.
    pub notes: Vec<String>,
}

/// A file that is open in an editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buffer {
    /// Its absolute name.
    pub name: String,
    /// Whether the disk has what the editor has.
    pub standing: Standing,
}

/// Whether the disk has what the editor has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It has.
    Saved,
    /// It has not yet.
    Unsaved,
}

/// What is selected in an editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// Where it begins.
    pub from: Point,
    /// Where it ends, behind its last character.
    pub to: Point,
    /// Its text, with LF.
    pub text: String,
    /// Which sort of selection it is.
    pub shape: Shape,
    /// Whether the user sees it now.
    pub sight: Sight,
}

/// Which sort of selection it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// All characters from one to another.
    Characters,
    /// Whole lines.
    Lines,
    /// A part of each of some lines.
    Block,
}

/// Whether the user sees a selection now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sight {
    /// It is highlighted.
    Current,
    /// It was the last one, and is highlighted no more.
    Last,
}

/// What a session remembers of editors.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// What was opened where no editor is attached.
    pub(crate) own: Own,
    /// How everything stood in the attached one when this session looked last.
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

/// Returns what the session of a call remembers of editors.
pub(crate) fn memory(cx: &CallCtx) -> Arc<SharedMemory> {
    cx.session.state()
}

/// Which editor is used, and what becomes of texts where there is none.
#[derive(Clone, Default)]
pub struct Editing {
    /// The one that is attached.
    pub editor: Option<Arc<dyn Editor>>,
    /// What becomes of texts that are to be inserted where none is.
    pub without: Without,
}

/// The user's editor, or its stand-in in the session. Clones share their state.
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

    /// The editor that is attached.
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

/// What becomes of a text that is to be inserted where no editor is attached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Without {
    /// It is handed to the client, which may do it.
    #[default]
    Told,
    /// It is written into the file.
    Applied,
}

/// Tells how everything stands.
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

/// Writes a text in the place of what is selected, or in front of the cursor.
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

/// Where a text is to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// In the place of what is selected.
    Selection,
    /// In front of the cursor.
    Cursor,
}

/// What became of a text.
pub(crate) struct Written {
    /// How everything stands now.
    pub(crate) shown: Shown,
    /// Where the text begins, where it is known.
    pub(crate) at: Option<Point>,
    /// What was done with it.
    pub(crate) done: Done,
    /// What became of the file on the disk, where one was changed.
    pub(crate) changed: Option<crate::edits::change::Changed>,
}

/// What was done with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Done {
    /// Nothing: the client may do it.
    Told,
    /// It stands in the editor, which has not saved it.
    InEditor,
    /// It stands in the file.
    OnDisk,
}

fn attached(editors: &Editors) -> Option<Arc<dyn Editor>> {
    editors.editing().editor.clone()
}

/// Does what needs the disk and no editor.
async fn own<T: Send + 'static>(
    editors: &Editors,
    cx: &CallCtx,
    work: impl FnOnce(&Editors, &CallCtx) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    cx.check()?;
    let (editors, cx) = (editors.clone(), cx.clone());
    blocking(move || work(&editors, &cx)).await
}

/// Says how an editor is attached.
fn attaching() -> Hint {
    let words =
        "The user can attach Neovim: with --editor nvim:SOCKET, or by starting Toolpost in its terminal.";
    Hint::Advice(words.to_owned())
}

/// Says that no file is open.
fn nothing_open() -> Failure {
    Failure::new(Kind::NotFound, "No file is open, so there is no cursor.")
        .hint(Hint::Advice("Open a file first.".to_owned()))
}
