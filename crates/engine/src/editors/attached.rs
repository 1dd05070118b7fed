//! Operations in an attached editor: they follow the same file rules as other tools, and write nothing if
//! the editor's state has changed.

use super::{
    Act, Chosen, Done, Editor, Point, Shape, Shown, Sight, Target, View, Written, memory,
    shown::{self, inside},
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

/// Returns the state of the editor.
pub(super) async fn look(
    editors: &Editors,
    editor: &Arc<dyn Editor>,
    cx: &CallCtx,
) -> Result<Shown, Failure> {
    let view = editor.ask(Act::Look, cx).await?;
    tell(editors, editor, view, cx).await
}

/// Opens an existing file.
pub(super) async fn open(
    editors: &Editors,
    editor: &Arc<dyn Editor>,
    file: &WorkspacePath,
    line: Option<u64>,
    cx: &CallCtx,
) -> Result<Shown, Failure> {
    cx.check()?;
    let (checked, on) = (file.clone(), editors.clone());
    blocking(move || is_there(&on, &checked)).await?;
    let mut view = editor.ask(Act::Open { file, line }, cx).await?;
    clamped(&mut view, line.map(|line| Point { line, column: 1 }));
    tell(editors, editor, view, cx).await
}

/// Moves the cursor, in a file of the workspace.
pub(super) async fn goto(
    editors: &Editors,
    editor: &Arc<dyn Editor>,
    to: Point,
    cx: &CallCtx,
) -> Result<Shown, Failure> {
    let before = editor.ask(Act::Look, cx).await?;
    active(editors, editor, &before).await?;
    let mut view = editor.ask(Act::Goto(to), cx).await?;
    clamped(&mut view, Some(to));
    tell(editors, editor, view, cx).await
}

/// Writes a text into the buffer of a writable file, if nothing has changed since this session last saw the
/// editor.
pub(super) async fn write(
    editors: &Editors,
    editor: &Arc<dyn Editor>,
    at: Target,
    content: &str,
    cx: &CallCtx,
) -> Result<Written, Failure> {
    let view = editor.ask(Act::Look, cx).await?;
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
        Target::Cursor => (Act::Insert { content: &content, token: &view.token }, view.cursor, String::new()),
        Target::Selection => {
            let chosen = replaceable(editor, &view, known.is_some())?;
            let act = Act::Replace { content: &content, token: &view.token };
            (act, chosen.from, chosen.text.clone())
        }
    };
    if content.contains('\0') {
        return Err(Failure::invalid("The text holds a NUL, which no line of an editor can hold."));
    }
    guard::check(&content, &old).map_err(|found| convert::placeholder(&path.display(), &found))?;
    let after = editor.ask(act, cx).await?;
    let shown = tell(editors, editor, after, cx).await?;
    Ok(Written { shown, at: Some(from), done: Done::InEditor, changed: None })
}

/// Finds the active file in the workspace.
async fn active(editors: &Editors, editor: &Arc<dyn Editor>, view: &View) -> Result<WorkspacePath, Failure> {
    let Some(name) = view.active.clone() else {
        let what = format!("The cursor of {} is in no file.", editor.name());
        return Err(Failure::new(Kind::NotFound, what)
            .hint(Hint::Advice("Open a file first, or let the user go to one.".to_owned())));
    };
    let (editors, wanted) = (editors.clone(), name.clone());
    let found = blocking(move || Ok(inside(&editors, &wanted))).await?;
    found.ok_or_else(|| {
        let name = escape::name(name.as_bytes()).into_owned();
        let what =
            format!("The cursor of {} is in {name}, which lies outside of the workspace.", editor.name());
        Failure::new(Kind::Outside, what).hint(Hint::Advice("Open a file of the workspace first.".to_owned()))
    })
}

/// Returns the selection, if a text can replace it and the user certainly means it.
fn replaceable<'a>(editor: &Arc<dyn Editor>, view: &'a View, was_seen: bool) -> Result<&'a Chosen, Failure> {
    let Some(chosen) = &view.selection else {
        let what = format!("Nothing is selected in {}; nothing was replaced.", editor.name());
        return Err(Failure::new(Kind::NotFound, what).hint(Hint::Advice(
            "Insert the text at the cursor, change the file itself, or let the user select what is meant."
                .to_owned(),
        )));
    };
    if chosen.shape == Shape::Block {
        let what = "A block of columns is selected, in the place of which one text cannot stand; nothing was replaced.";
        return Err(Failure::new(Kind::WrongKind, what)
            .hint(Hint::Advice("Let the user select characters or lines.".to_owned())));
    }
    if chosen.sight == Sight::Last && !was_seen {
        let what = "What was selected last is highlighted no more, and this session has not seen it; nothing was replaced.";
        return Err(Failure::new(Kind::Unread, what).hint(Hint::Advice(
            "Look at the selection first; if it is the one that is meant, make the same call again."
                .to_owned(),
        )));
    }
    Ok(chosen)
}

/// The refusal to write if something differs from what this session has last seen.
fn moved(path: &WorkspacePath, view: &View) -> Failure {
    let Point { line, column } = view.cursor;
    let mut found = format!("The cursor stands in {} at line {line}, column {column} now", path.display());
    found.push_str(&match &view.selection {
        None => "; nothing is selected.".to_owned(),
        Some(Chosen { from, to, .. }) => format!("; lines {} to {} are selected.", from.line, to.line),
    });
    let what = "The text, the cursor or the selection of the editor is not what this session has seen last; nothing was written.";
    Failure::new(Kind::Stale, what).found(found).hint(Hint::Advice(
        "This counts as seen now: if the same call is still right, make it again.".to_owned(),
    ))
}

/// The refusal of a change that the rules do not allow, since the user could not be asked beforehand.
pub(super) fn forbidden(path: &WorkspacePath) -> Failure {
    let what = format!(
        "The rules do not let {} be read and written without asking; nothing was written.",
        path.display()
    );
    Failure::new(Kind::Denied, what)
        .hint(Hint::Advice("Change the file by its name, so that somebody can be asked.".to_owned()))
}

/// Notes that a position does not exist and the nearest one was used.
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
) -> Result<Shown, Failure> {
    memory(cx).lock().token = Some(view.token.clone());
    let (editors, cx, name) = (editors.clone(), cx.clone(), editor.name());
    blocking(move || Ok(shown::told(&editors, &cx, name, view))).await
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
