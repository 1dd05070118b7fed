//! Operations in an attached editor.
//!
//! The access rules for files apply to these operations too. A write is refused if the state of the editor
//! has changed since the session last saw that state.

use super::{
    Editor, EditorAction, EditorSnapshot, Point, SelectionVisibility, Shape, Target, TextSelection, View,
    WriteDestination, WriteResult, memory,
    snapshot::{self, inside},
};
use crate::{
    call::CallCtx,
    editors::Editors,
    failure::{Failure, Hint, Kind, convert},
    workers::blocking,
};
use std::sync::Arc;
use toolpost_text::{escape, guard, lines::lf};
use toolpost_workspace::{Kind as FileKind, WorkspacePath};

/// Returns the state of the attached editor.
pub(super) async fn look(
    editors: &Editors,
    editor: &Arc<dyn Editor>,
    cx: &CallCtx,
) -> Result<EditorSnapshot, Failure> {
    let view = editor.ask(EditorAction::Look, cx).await?;
    tell(editors, editor, view, cx).await
}

/// Opens an existing file in the attached editor.
pub(super) async fn open(
    editors: &Editors,
    editor: &Arc<dyn Editor>,
    file: &WorkspacePath,
    line: Option<u64>,
    cx: &CallCtx,
) -> Result<EditorSnapshot, Failure> {
    cx.check()?;
    let (checked, on) = (file.clone(), editors.clone());
    blocking(move || is_there(&on, &checked)).await?;
    let mut view = editor.ask(EditorAction::Open { file, line }, cx).await?;
    clamped(&mut view, line.map(|line| Point { line, column: 1 }));
    tell(editors, editor, view, cx).await
}

/// Moves the cursor in the active file, which must be in the workspace.
pub(super) async fn goto(
    editors: &Editors,
    editor: &Arc<dyn Editor>,
    to: Point,
    cx: &CallCtx,
) -> Result<EditorSnapshot, Failure> {
    let before = editor.ask(EditorAction::Look, cx).await?;
    active(editors, editor, &before).await?;
    let mut view = editor.ask(EditorAction::Goto(to), cx).await?;
    clamped(&mut view, Some(to));
    tell(editors, editor, view, cx).await
}

/// Writes a text into the buffer of the active file. Refuses to write if the rules do not allow it, or if the
/// text, the cursor or the selection changed since this session last saw the editor.
pub(super) async fn write(
    editors: &Editors,
    editor: &Arc<dyn Editor>,
    at: Target,
    content: &str,
    cx: &CallCtx,
) -> Result<WriteResult, Failure> {
    let view = editor.ask(EditorAction::Look, cx).await?;
    let path = active(editors, editor, &view).await?;
    if !(cx.may_read(&path) && cx.permissions.may_write(&path)) {
        return Err(forbidden(&path));
    }
    let known = memory(cx).lock().token.clone();
    if known.as_ref().is_some_and(|known| *known != view.token) {
        memory(cx).lock().token = Some(view.token.clone());
        return Err(moved(&path, &view));
    }
    let content = lf(content);
    let (act, from, old) = match at {
        Target::Cursor => {
            (EditorAction::Insert { content: &content, token: &view.token }, view.cursor, String::new())
        }
        Target::Selection => {
            let chosen = replaceable(editor, &view, known.is_some())?;
            let act = EditorAction::Replace { content: &content, token: &view.token };
            (act, chosen.from, chosen.text.clone())
        }
    };
    if content.contains('\0') {
        return Err(Failure::invalid("The text contains a NUL character, which an editor cannot hold."));
    }
    let name = path.display();
    guard::check_for(&name, &content, &old).map_err(|found| convert::placeholder(&name, &found))?;
    let after = editor.ask(act, cx).await?;
    let shown = tell(editors, editor, after, cx).await?;
    Ok(WriteResult { shown, at: Some(from), done: WriteDestination::InEditor, changed: None })
}

/// Returns the active file; fails if there is none, or if it is outside the workspace.
async fn active(editors: &Editors, editor: &Arc<dyn Editor>, view: &View) -> Result<WorkspacePath, Failure> {
    let Some(name) = view.active.clone() else {
        let what = format!("The cursor of {} is not in a file.", editor.name());
        return Err(Failure::new(Kind::NotFound, what)
            .hint(Hint::Advice("Open a file first, or ask the user to open one.".to_owned())));
    };
    let (editors, wanted) = (editors.clone(), name.clone());
    let found = blocking(move || Ok(inside(&editors, &wanted))).await?;
    found.ok_or_else(|| {
        let name = escape::name(name.as_bytes()).into_owned();
        let what = format!("The cursor of {} is in {name}, which is outside the workspace.", editor.name());
        Failure::new(Kind::Outside, what).hint(Hint::Advice("Open a file of the workspace first.".to_owned()))
    })
}

/// Returns the selection if it can be replaced: it is not a block of columns, and it is highlighted or this
/// session has seen the editor's state.
fn replaceable<'a>(
    editor: &Arc<dyn Editor>,
    view: &'a View,
    was_seen: bool,
) -> Result<&'a TextSelection, Failure> {
    let Some(chosen) = &view.selection else {
        let what = format!("Nothing is selected in {}; nothing was replaced.", editor.name());
        return Err(Failure::new(Kind::NotFound, what).hint(Hint::Advice(
            "Insert the text at the cursor, change the file itself, or ask the user to select the text."
                .to_owned(),
        )));
    };
    if chosen.shape == Shape::Block {
        let what = "A block of columns is selected, which one text cannot replace; nothing was replaced.";
        return Err(Failure::new(Kind::WrongKind, what)
            .hint(Hint::Advice("Ask the user to select characters or lines.".to_owned())));
    }
    if chosen.sight == SelectionVisibility::Last && !was_seen {
        let what = "The last selection is no longer highlighted, and this session has not seen it; nothing was replaced.";
        return Err(Failure::new(Kind::Unread, what).hint(Hint::Advice(
            "Read the selection first; if it is the right one, make the same call again.".to_owned(),
        )));
    }
    Ok(chosen)
}

/// Returns the failure of a write that is refused because the editor's state has changed. The failure shows the
/// current state.
fn moved(path: &WorkspacePath, view: &View) -> Failure {
    let Point { line, column } = view.cursor;
    let mut found = format!("The cursor is now in {} at line {line}, column {column}", path.display());
    found.push_str(&match &view.selection {
        None => "; nothing is selected.".to_owned(),
        Some(TextSelection { from, to, .. }) => format!("; lines {} to {} are selected.", from.line, to.line),
    });
    let what = "The text, the cursor or the selection of the editor has changed since this session last saw it; \
                nothing was written.";
    Failure::new(Kind::Stale, what).found(found).hint(Hint::Advice(
        "This reply shows the current state: if the same call is still right, make it again.".to_owned(),
    ))
}

/// Returns the failure of a write that the rules do not allow without approval. The user cannot be prompted, because
/// the file becomes known only while the call runs.
pub(super) fn forbidden(path: &WorkspacePath) -> Failure {
    let what = format!(
        "The rules do not allow reading and writing {} without approval; nothing was written.",
        path.display()
    );
    Failure::new(Kind::Denied, what).hint(Hint::Advice(
        "Change the file with a file tool, by its path: that call can ask the user.".to_owned(),
    ))
}

/// Adds a note if the requested position does not exist and the editor used the nearest one.
fn clamped(view: &mut View, wanted: Option<Point>) {
    let at = view.cursor;
    if let Some(wanted) = wanted.filter(|wanted| *wanted != at) {
        view.notes.push(format!(
            "there is no line {}, column {}: the cursor went to line {}, column {}",
            wanted.line, wanted.column, at.line, at.column
        ));
    }
}

async fn tell(
    editors: &Editors,
    editor: &Arc<dyn Editor>,
    view: View,
    cx: &CallCtx,
) -> Result<EditorSnapshot, Failure> {
    memory(cx).lock().token = Some(view.token.clone());
    let (editors, cx, name) = (editors.clone(), cx.clone(), editor.name());
    blocking(move || Ok(snapshot::told(&editors, &cx, name, view))).await
}

fn is_there(editors: &Editors, path: &WorkspacePath) -> Result<(), Failure> {
    use crate::files::lookup;
    match editors.files().workspace().stat(path) {
        Ok(stat) if stat.kind == FileKind::Directory => Err(lookup::directory(editors.files(), path)),
        Ok(_) => Ok(()),
        Err(error) if error.why == toolpost_workspace::AccessKind::Missing => {
            Err(lookup::missing(editors.files(), path, &path.absolute()))
        }
        Err(error) => Err(convert::access(path, error)),
    }
}
