//! `get_editor_state`, `open_file`, `goto_line`, `get_selection`, `replace_selection`, `insert_at_cursor`:
//! the user's editor.

use super::json;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolpost_engine::{
    Failure, Point, SaveState, SelectionVisibility, Shape,
    operations::{
        editor_move::{self, MoveAction},
        editor_selection::{self, Selection},
        editor_state::{self, FileLocation, Output},
        editor_write::{self, Target, WriteDestination},
    },
};
use toolpost_tool::{Lowering, Page, Tool};

pub(super) struct GetEditorState;
pub(super) struct OpenFile;
pub(super) struct GotoLine;
pub(super) struct GetSelection;
pub(super) struct ReplaceSelection;
pub(super) struct InsertAtCursor;

#[derive(Deserialize, JsonSchema)]
pub(super) struct NoArgs {}

#[derive(Deserialize, JsonSchema)]
pub(super) struct OpenArgs {
    #[schemars(extend("x-aliases" = ["file_path", "filepath", "filename", "target_file"], "examples" = ["src/main.rs"]))]
    path: String,
    #[schemars(extend("x-raise" = true), range(min = 1))]
    line: Option<u64>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct GotoArgs {
    #[schemars(extend("x-raise" = true), range(min = 1))]
    line: u64,
    /// The cursor goes before this character. Default: 1.
    #[schemars(extend("x-raise" = true), range(min = 1))]
    column: Option<u64>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ReplaceArgs {
    #[schemars(extend("x-aliases" = ["text", "contents"], "examples" = ["let total = 0;"]))]
    content: String,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct InsertArgs {
    #[schemars(extend("x-aliases" = ["text", "contents"], "examples" = ["use std::fs;\n"]))]
    content: String,
}

#[derive(Serialize)]
struct State<'a> {
    active_file: Option<&'a str>,
    open_files: Vec<&'a str>,
    active_tab_index: Option<usize>,
    cursor_line: Option<u64>,
    cursor_column: Option<u64>,
    selection_start_line: Option<u64>,
    selection_end_line: Option<u64>,
    editor: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unsaved_files: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outside_of_workspace: Vec<&'a str>,
    message: String,
}

/// Reply of an editor tool: a request that the client must still carry out (`action`), or a finished action
/// (`done`).
#[derive(Serialize, Default)]
struct Payload<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    done: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    applied: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    saved: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    selection: Option<SelectionReply<'a>>,
    message: String,
}

#[derive(Serialize)]
struct SelectionReply<'a> {
    path: Option<&'a str>,
    start_line: u64,
    start_column: u64,
    end_line: u64,
    end_column: u64,
    kind: Shape,
    highlighted: bool,
    saved: bool,
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    withheld: Option<&'a str>,
    version: &'a str,
}

/// Message prefix if no editor is attached.
const NONE: &str = "No editor is attached";
/// Instructions to attach an editor.
const ATTACH: &str =
    "the user can attach Neovim with --editor nvim:SOCKET, or by starting Toolpost in Neovim's terminal";

impl Tool for GetEditorState {
    const NAME: &'static str = "get_editor_state";
    type Op = editor_state::EditorState;
    type Args = NoArgs;

    fn lower(_args: NoArgs, _at: &Lowering) -> Result<(), Failure> {
        Ok(())
    }

    fn render(output: &Output, page: &mut Page) {
        let selection = output.selection.as_ref();
        let paths = |wanted: fn(&editor_state::EditorFile) -> bool| {
            output.open.iter().filter(|file| wanted(file)).map(|file| file.path.as_str()).collect()
        };
        let state = State {
            active_file: output.active_file(),
            open_files: paths(|_| true),
            active_tab_index: output.active,
            cursor_line: output.cursor.map(|at| at.line),
            cursor_column: output.cursor.map(|at| at.column),
            selection_start_line: selection.map(|selection| selection.from.line),
            selection_end_line: selection.map(last_line),
            editor: output.editor.as_deref(),
            unsaved_files: paths(|file| file.standing == SaveState::Unsaved),
            outside_of_workspace: paths(|file| file.place == FileLocation::Outside),
            message: standing(output),
        };
        json::write(&state, page);
        notes(output, page);
    }
}

impl Tool for OpenFile {
    const NAME: &'static str = "open_file";
    type Op = editor_move::EditorMove;
    type Args = OpenArgs;

    fn lower(args: OpenArgs, at: &Lowering) -> Result<editor_move::Request, Failure> {
        Ok(editor_move::Request::Open { file: at.file(&args.path)?, line: args.line })
    }

    fn render(output: &editor_move::Output, page: &mut Page) {
        render_move(output, page);
    }
}

impl Tool for GotoLine {
    const NAME: &'static str = "goto_line";
    type Op = editor_move::EditorMove;
    type Args = GotoArgs;

    fn lower(args: GotoArgs, _at: &Lowering) -> Result<editor_move::Request, Failure> {
        Ok(editor_move::Request::Goto(Point { line: args.line, column: args.column.unwrap_or(1) }))
    }

    fn render(output: &editor_move::Output, page: &mut Page) {
        render_move(output, page);
    }
}

impl Tool for GetSelection {
    const NAME: &'static str = "get_selection";
    type Op = editor_selection::EditorSelection;
    type Args = NoArgs;

    fn lower(_args: NoArgs, _at: &Lowering) -> Result<(), Failure> {
        Ok(())
    }

    fn render(output: &Output, page: &mut Page) {
        let selection = output.selection.as_ref().map(|selection| selected(output, selection));
        let message = match (&output.editor, &output.selection) {
            (None, _) => format!("{NONE}, so no selection is known: {ATTACH}."),
            (Some(editor), None) => format!("Nothing is selected in {editor}."),
            (Some(editor), Some(selection)) if selection.sight == SelectionVisibility::Last => {
                format!("This was the last selection in {editor}; it is no longer highlighted.")
            }
            (Some(editor), Some(_)) => format!("This is selected in {editor}."),
        };
        let (action, done) = either("get_selection", output.editor.is_some());
        json::write(&Payload { action, done, selection, message, ..Payload::default() }, page);
        notes(output, page);
    }
}

impl Tool for ReplaceSelection {
    const NAME: &'static str = "replace_selection";
    type Op = editor_write::EditorWrite;
    type Args = ReplaceArgs;

    fn lower(args: ReplaceArgs, _at: &Lowering) -> Result<editor_write::Request, Failure> {
        Ok(editor_write::Request { at: Target::Selection, content: args.content })
    }

    fn render(output: &editor_write::Output, page: &mut Page) {
        render_write("replace_selection", output, page);
    }
}

impl Tool for InsertAtCursor {
    const NAME: &'static str = "insert_at_cursor";
    type Op = editor_write::EditorWrite;
    type Args = InsertArgs;

    fn lower(args: InsertArgs, _at: &Lowering) -> Result<editor_write::Request, Failure> {
        Ok(editor_write::Request { at: Target::Cursor, content: args.content })
    }

    fn render(output: &editor_write::Output, page: &mut Page) {
        render_write("insert_at_cursor", output, page);
    }
}

/// Returns the fields `action` and `done` of a reply. If Toolpost has finished the action, `done` is the tool's name;
/// if the client must still carry it out, `action` is.
fn either(name: &'static str, done: bool) -> (Option<&'static str>, Option<&'static str>) {
    if done { (None, Some(name)) } else { (Some(name), None) }
}

fn render_move(output: &editor_move::Output, page: &mut Page) {
    let shown = &output.shown;
    let name = match output.act {
        MoveAction::Open { .. } => "open_file",
        MoveAction::Goto => "goto_line",
    };
    let (action, done) = either(name, shown.editor.is_some());
    // A client that opens the file itself gets a position only if the call gave one.
    let at = shown.cursor.filter(|_| output.act != MoveAction::Open { line: None } || shown.editor.is_some());
    let message = match &shown.editor {
        None => {
            format!(
                "{NONE}: this session remembers the location, and the user sees it only if the client acts on this reply."
            )
        }
        Some(editor) => format!("{editor} shows the location."),
    };
    let payload = Payload {
        action,
        done,
        path: shown.active_file(),
        line: at.map(|at| at.line),
        column: at.map(|at| at.column),
        message,
        ..Payload::default()
    };
    json::write(&payload, page);
    notes(shown, page);
}

fn render_write(name: &'static str, output: &editor_write::Output, page: &mut Page) {
    let (action, done) = either(name, output.done != WriteDestination::Told);
    let path = output.shown.active_file().filter(|_| output.at.is_some());
    let payload = Payload {
        action,
        done,
        path,
        line: output.at.map(|at| at.line),
        column: output.at.map(|at| at.column),
        content: (output.done == WriteDestination::Told).then_some(output.content.as_str()),
        applied: Some(output.done != WriteDestination::Told),
        saved: (output.done != WriteDestination::Told).then_some(output.done == WriteDestination::OnDisk),
        diff: output.changed.as_ref().map(|file| file.diff.as_str()),
        message: written(output),
        ..Payload::default()
    };
    json::write(&payload, page);
    notes(&output.shown, page);
    let odd = output.changed.iter().flat_map(|file| &file.notes);
    odd.for_each(|note| page.note(note.clone()));
}

fn written(output: &editor_write::Output) -> String {
    let editor = output.shown.editor.as_deref().unwrap_or_default();
    match (output.done, output.target) {
        (WriteDestination::Told, Target::Selection) => format!(
            "{NONE}, so Toolpost does not know the selection and replaced nothing: the client can replace it with this \
             text. To change a file, use apply_patch."
        ),
        (WriteDestination::Told, Target::Cursor) => {
            format!(
                "{NONE}, so nothing was inserted: the client can insert the text. To change a file, use \
                 apply_patch."
            )
        }
        (WriteDestination::InEditor, _) => {
            format!(
                "The text was written in {editor}, where one undo reverts it; the file on disk is not saved yet."
            )
        }
        (WriteDestination::OnDisk, _) => {
            format!("{NONE}: the text was written to the file. `toolpost undo` can revert it.")
        }
    }
}

/// Formats a sentence about the editor and the cursor position.
fn standing(output: &Output) -> String {
    let place = match (output.active_file(), output.cursor) {
        (Some(file), Some(at)) => {
            format!("the cursor is in {file} at line {}, column {}", at.line, at.column)
        }
        _ => "no file is open".to_owned(),
    };
    match &output.editor {
        None => format!("{NONE}. In this session, {place}; {ATTACH}."),
        Some(editor) => format!("In {editor} {place}."),
    }
}

fn selected<'a>(output: &'a Output, selection: &'a Selection) -> SelectionReply<'a> {
    let active = output.active.and_then(|at| output.open.get(at));
    SelectionReply {
        path: output.active_file(),
        start_line: selection.from.line,
        start_column: selection.from.column,
        end_line: selection.to.line,
        end_column: selection.to.column,
        kind: selection.shape,
        highlighted: selection.sight == SelectionVisibility::Current,
        saved: active.is_none_or(|file| file.standing == SaveState::Saved),
        text: selection.text.as_deref(),
        withheld: selection.withheld.as_deref(),
        version: &selection.token,
    }
}

/// Returns the last line with selected text.
fn last_line(selection: &Selection) -> u64 {
    let Point { line, column } = selection.to;
    if column == 1 && line > selection.from.line { line - 1 } else { line }
}

fn notes(output: &Output, page: &mut Page) {
    output.notes.iter().for_each(|note| page.note(note.clone()));
}
