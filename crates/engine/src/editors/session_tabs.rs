//! Session state if no editor is attached: the opened files and the cursor positions.

use super::{
    EditorFile, EditorSnapshot, FileLocation, InsertionFallback, Point, SaveState, Target, WriteDestination,
    WriteResult, attaching, memory, nothing_open,
};
use crate::{
    call::CallCtx,
    editors::Editors,
    edits::{
        change::{Change, ChangeTarget, Exact, Request, apply},
        freshness::LIMIT,
    },
    failure::{Failure, Hint, Kind, convert},
    files::lookup,
};
use toolpost_text::{
    encoding::Text,
    lines::{LineIndex, lf},
    plural::counted,
};
use toolpost_workspace::{AccessKind, ContentHash, Kind as FileKind, Snapshot, WorkspacePath};

/// Maximum number of open files. If another one is opened, the file that was opened first is closed.
const OPEN: usize = 100;

/// The files that the session has opened, in the order in which they were opened, and the active file.
#[derive(Debug, Default)]
pub(crate) struct SessionTabs {
    tabs: Vec<Tab>,
    active: Option<WorkspacePath>,
}

#[derive(Debug, Clone)]
struct Tab {
    path: WorkspacePath,
    cursor: Point,
    /// The hash of the file's content when the cursor was placed.
    of: ContentHash,
}

impl SessionTabs {
    /// Returns the state for a reply, with a note for each file that no longer exists.
    pub(super) fn shown(&self, editors: &Editors) -> EditorSnapshot {
        let opened = |tab: &Tab| EditorFile {
            path: tab.path.display(),
            place: FileLocation::Workspace,
            standing: SaveState::Saved,
        };
        let active = self.tabs.iter().position(|tab| Some(&tab.path) == self.active.as_ref());
        let cursor = active.map(|at| self.tabs[at].cursor);
        let gone = self.tabs.iter().filter(|tab| !is_file(editors, &tab.path));
        let notes = gone.map(|tab| format!("{} is no longer a file", tab.path.display())).collect();
        EditorSnapshot {
            editor: None,
            open: self.tabs.iter().map(opened).collect(),
            active,
            cursor,
            selection: None,
            notes,
        }
    }

    fn put(&mut self, tab: Tab) {
        self.active = Some(tab.path.clone());
        match self.tabs.iter_mut().find(|known| known.path == tab.path) {
            Some(known) => *known = tab,
            None => self.tabs.push(tab),
        }
        if self.tabs.len() > OPEN {
            self.tabs.remove(0);
        }
    }

    fn tab(&self) -> Option<&Tab> {
        self.tabs.iter().find(|tab| Some(&tab.path) == self.active.as_ref())
    }
}

/// Opens a file at a line; without a line, the cursor keeps its position in the file.
pub(super) fn open(
    editors: &Editors,
    cx: &CallCtx,
    path: &WorkspacePath,
    line: Option<u64>,
) -> Result<EditorSnapshot, Failure> {
    let snapshot = read(editors, path)?;
    let known = memory(cx).lock().own.tabs.iter().find(|tab| tab.path == *path).cloned();
    let wanted = match (line, known) {
        (Some(line), _) => Point { line, column: 1 },
        (None, Some(tab)) => tab.cursor,
        (None, None) => Point::START,
    };
    put(editors, cx, path, snapshot, wanted)
}

/// Moves the cursor in the active file.
pub(super) fn goto(editors: &Editors, cx: &CallCtx, to: Point) -> Result<EditorSnapshot, Failure> {
    let path = memory(cx).lock().own.tab().map(|tab| tab.path.clone()).ok_or_else(nothing_open)?;
    let snapshot = read(editors, &path)?;
    put(editors, cx, &path, snapshot, to)
}

/// Inserts a text at the cursor of the active file if the operator enabled this. Otherwise, the reply passes
/// the text to the client.
pub(super) fn write(
    editors: &Editors,
    cx: &CallCtx,
    at: Target,
    content: String,
) -> Result<WriteResult, Failure> {
    let tab = memory(cx).lock().own.tab().cloned();
    let told = |tab: Option<&Tab>| WriteResult {
        shown: memory(cx).lock().own.shown(editors),
        at: tab.map(|tab| tab.cursor),
        done: WriteDestination::Told,
        changed: None,
    };
    match (at, tab, editors.editing().without) {
        // Without an attached editor, only the client can know the selection, so the reply passes the text to the
        // client.
        (Target::Selection, ..) => Ok(told(None)),
        (Target::Cursor, None, _) => Err(nothing_open().hint(attaching())),
        (Target::Cursor, Some(tab), InsertionFallback::Told) => Ok(told(Some(&tab))),
        (Target::Cursor, Some(tab), InsertionFallback::Applied) => insert(editors, cx, &tab, content),
    }
}

fn insert(editors: &Editors, cx: &CallCtx, tab: &Tab, content: String) -> Result<WriteResult, Failure> {
    let path = &tab.path;
    let may = cx.may_read(path) && cx.permissions.may_write(path);
    if !may {
        return Err(super::attached::forbidden(path));
    }
    let snapshot = read(editors, path)?;
    if snapshot.hash != tab.of {
        return Err(moved(path));
    }
    let text = Text::open(snapshot.bytes, editors.files().encoding()).map_err(|error| {
        let what = format!("{} cannot be changed as text: {error}", path.display());
        Failure::new(Kind::WrongKind, convert::sentence(&what))
    })?;
    let offset = offset(text.view(), tab.cursor);
    let exact = Exact { from: offset, to: offset, of: tab.of };
    let behind = behind(tab.cursor, &lf(&content));
    let change = Change { path: path.clone(), at: ChangeTarget::Exact(exact), text: content };
    let output = apply::run(editors.edits(), &Request { changes: vec![change] }, cx)?;
    let changed = output.files.into_iter().next();
    let of = changed.as_ref().and_then(|file| file.seen.first()).and_then(|seen| seen.hash);
    let memory = memory(cx);
    let mut session = memory.lock();
    session.own.put(Tab { path: path.clone(), cursor: behind, of: of.unwrap_or(tab.of) });
    let mut shown = session.own.shown(editors);
    shown.notes.extend(output.notes);
    Ok(WriteResult { shown, at: Some(tab.cursor), done: WriteDestination::OnDisk, changed })
}

fn moved(path: &WorkspacePath) -> Failure {
    let what =
        format!("{} has changed since the cursor was placed there; nothing was written.", path.display());
    Failure::new(Kind::Stale, what)
        .hint(Hint::ReadAgain(path.clone()))
        .hint(Hint::Advice("Then place the cursor again.".to_owned()))
}

/// Makes a file the active one, with the cursor at a position, or at the nearest existing one.
fn put(
    editors: &Editors,
    cx: &CallCtx,
    path: &WorkspacePath,
    snapshot: Snapshot,
    wanted: Point,
) -> Result<EditorSnapshot, Failure> {
    let of = snapshot.hash;
    let (cursor, note) = match Text::open(snapshot.bytes, editors.files().encoding()) {
        Ok(text) => nearest(&path.display(), text.view(), wanted),
        Err(error) => {
            let words = format!("{} was opened at its beginning: {error}", path.display());
            (Point::START, (wanted != Point::START).then_some(words))
        }
    };
    let memory = memory(cx);
    let mut session = memory.lock();
    session.own.put(Tab { path: path.clone(), cursor, of });
    let mut shown = session.own.shown(editors);
    shown.notes.extend(note);
    Ok(shown)
}

/// Finds the requested position or the nearest one, with a note if they differ.
pub(super) fn nearest(name: &str, view: &str, wanted: Point) -> (Point, Option<String>) {
    let index = LineIndex::new(view);
    let last = (index.count() as u64).max(1);
    // After a final line break there is one more line, which is empty; the cursor can move there.
    let behind = last + u64::from(view.ends_with('\n'));
    let line = if wanted.line > behind { last } else { wanted.line.max(1) };
    let text = index.range(usize::try_from(line).unwrap_or(usize::MAX)).map_or("", |range| &view[range]);
    let letters = text.trim_end_matches('\n').chars().count() as u64;
    let column = wanted.column.clamp(1, letters + 1);
    let note = if line != wanted.line {
        let lines = counted(index.count() as u64, "line");
        Some(format!("{name} has {lines}, so the cursor went to line {line} instead of {}", wanted.line))
    } else if column != wanted.column {
        let letters = counted(letters, "character");
        Some(format!(
            "line {line} has {letters}, so the cursor went to column {column} instead of {}",
            wanted.column
        ))
    } else {
        None
    };
    // If the requested line does not exist, the requested column does not apply to the nearest line.
    let column = if line == wanted.line { column } else { 1 };
    (Point { line, column }, note)
}

/// Returns the byte offset of an existing position.
fn offset(view: &str, at: Point) -> usize {
    let line = usize::try_from(at.line).unwrap_or(usize::MAX);
    let Some(range) = LineIndex::new(view).range(line) else { return view.len() };
    let letters = usize::try_from(at.column - 1).unwrap_or(usize::MAX);
    let text = view[range.clone()].trim_end_matches('\n');
    let within = text.char_indices().nth(letters).map_or(text.len(), |(byte, _)| byte);
    range.start + within
}

/// Returns the position after the text `content` that is inserted at `at`.
fn behind(at: Point, content: &str) -> Point {
    let letters = |text: &str| text.chars().count() as u64;
    match content.rsplit_once('\n') {
        None => Point { column: at.column + letters(content), ..at },
        Some((before, last)) => {
            let breaks = before.matches('\n').count() as u64 + 1;
            Point { line: at.line + breaks, column: letters(last) + 1 }
        }
    }
}

fn read(editors: &Editors, path: &WorkspacePath) -> Result<Snapshot, Failure> {
    editors.files().workspace().read(path, LIMIT).map_err(|error| match error.why {
        AccessKind::Missing => lookup::missing(editors.files(), path, &path.absolute()),
        AccessKind::IsDirectory => lookup::directory(editors.files(), path),
        _ => convert::access(path, error),
    })
}

fn is_file(editors: &Editors, path: &WorkspacePath) -> bool {
    editors.files().workspace().stat(path).is_ok_and(|stat| stat.kind == FileKind::File)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    fn point(line: u64, column: u64) -> Point {
        Point { line, column }
    }

    #[test]
    fn cursor_is_clamped_to_the_nearest_position_with_a_note() {
        let rows = [
            ("one\ntwo\n", point(2, 3), point(2, 3), None),
            ("one\ntwo\n", point(2, 4), point(2, 4), None),
            ("one\ntwo\n", point(3, 1), point(3, 1), None),
            ("äöü\nx", point(1, 4), point(1, 4), None),
            ("", point(1, 1), point(1, 1), None),
            (
                "äöü\nx",
                point(1, 9),
                point(1, 4),
                Some("line 1 has 3 characters, so the cursor went to column 4 instead of 9"),
            ),
            (
                "one\ntwo",
                point(9, 2),
                point(2, 1),
                Some("f has 2 lines, so the cursor went to line 2 instead of 9"),
            ),
            ("", point(2, 1), point(1, 1), Some("f has 0 lines, so the cursor went to line 1 instead of 2")),
        ];
        each(rows, |(text, wanted, found, note)| {
            let (at, found_note) = nearest("f", text, wanted);
            assert_eq!((at, found_note.as_deref()), (found, note), "{text:?} {wanted:?}");
        });
    }

    #[test]
    fn cursor_has_a_byte_offset_and_moves_behind_inserted_text() {
        let text = "aä→b\nzwei\n";
        let rows = [
            (point(1, 1), 0, "x", point(1, 2)),
            (point(1, 3), 3, "→→", point(1, 5)),
            (point(1, 5), 7, "\n", point(2, 1)),
            (point(2, 2), 9, "1\n22\n333", point(4, 4)),
            (point(3, 1), 13, "end\n", point(4, 1)),
        ];
        each(rows, |(at, byte, content, next)| {
            assert_eq!((offset(text, at), behind(at, content)), (byte, next), "{at:?}");
        });
    }
}
