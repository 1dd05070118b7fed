//! Checks whether files that a call reads or writes have unsaved changes in the attached editor.

use super::{EditorAction, SaveState, snapshot::inside};
use crate::{
    access::{Extent, Touch},
    call::CallCtx,
    editors::Editors,
    failure::{Failure, Hint, Kind},
    workers::blocking,
};
use std::time::Duration;
use toolpost_workspace::{Kind as FileKind, WorkspacePath};

/// Maximum time that a call waits for the editor's list of buffers, so that an editor that hangs delays no
/// call for long.
const WAIT: Duration = Duration::from_secs(1);

/// Notes of a reply about an editor's buffers.
#[derive(Debug, Default)]
pub struct BufferNotes {
    /// Notes about this call.
    pub of_call: Vec<String>,
    /// Notes that are shown once in a session.
    pub of_session: Vec<String>,
}

/// Refuses to write a file that has unsaved changes in the attached editor. If the call only reads the file, or
/// the editor does not answer in time, adds a note instead.
///
/// Calls to editor tools use the buffer instead of the file on disk and are not checked.
pub(crate) async fn check(
    editors: &Editors,
    cx: &CallCtx,
    touches: Vec<Touch>,
) -> Result<BufferNotes, Failure> {
    let mut notes = BufferNotes::default();
    let Some(editor) = editors.editing().editor.clone() else { return Ok(notes) };
    if touches.iter().any(|touch| matches!(touch, Touch::Editor(_))) {
        return Ok(notes);
    }
    let (on, uses) = (editors.clone(), touches);
    let files = blocking(move || Ok(files(&on, &uses))).await?;
    if files.is_empty() {
        return Ok(notes);
    }
    let Ok(Ok(view)) = tokio::time::timeout(cx.time_left(WAIT), editor.ask(EditorAction::Look, cx)).await
    else {
        notes.of_session.push(format!(
            "{} did not answer, so files may have unsaved changes there that are not on disk",
            editor.name()
        ));
        return Ok(notes);
    };
    let unsaved = view.open.into_iter().filter(|buffer| buffer.standing == SaveState::Unsaved);
    let names: Vec<String> = unsaved.map(|buffer| buffer.name).collect();
    let on = editors.clone();
    let unsaved: Vec<WorkspacePath> =
        blocking(move || Ok(names.iter().filter_map(|name| inside(&on, name)).collect())).await?;
    for file in &files {
        let Some(path) = unsaved.iter().find(|open| file.covers(open)) else { continue };
        match file.purpose {
            Purpose::Change | Purpose::Removal => return Err(refusal(path, &editor.name())),
            Purpose::Read => notes.of_call.push(format!(
                "{} has unsaved changes in {}; this call used the file on disk",
                path.display(),
                editor.name()
            )),
        }
    }
    Ok(notes)
}

/// A path that a call names, and the kind of access.
struct FileUse {
    path: WorkspacePath,
    purpose: Purpose,
}

/// The kind of access to a path that a call names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Read,
    Change,
    /// The path is moved or deleted, with everything in it.
    Removal,
}

impl FileUse {
    fn covers(&self, open: &WorkspacePath) -> bool {
        *open == self.path || (self.purpose == Purpose::Removal && open.raw().starts_with(self.path.raw()))
    }
}

/// Lists the existing paths that a call writes, moves or deletes, and the files that it only reads.
fn files(editors: &Editors, touches: &[Touch]) -> Vec<FileUse> {
    let kind = |path: &WorkspacePath| editors.files().workspace().stat(path).ok().map(|stat| stat.kind);
    let writes = touches.iter().filter_map(|touch| match touch {
        Touch::Write(path, Extent::Gone | Extent::Name) => Some((path, Purpose::Removal)),
        Touch::Write(path, Extent::Whole | Extent::Part) => Some((path, Purpose::Change)),
        _ => None,
    });
    let mut uses: Vec<FileUse> = writes
        .filter(|(path, _)| kind(path).is_some())
        .map(|(path, purpose)| FileUse { path: path.clone(), purpose })
        .collect();
    for touch in touches {
        if let Touch::Read(path) = touch
            && uses.iter().all(|known| known.path != *path)
            && kind(path) == Some(FileKind::File)
        {
            uses.push(FileUse { path: path.clone(), purpose: Purpose::Read });
        }
    }
    uses
}

fn refusal(path: &WorkspacePath, editor: &str) -> Failure {
    let what = format!("{} has unsaved changes in {editor}. Nothing was changed.", path.display());
    Failure::new(Kind::Conflict, what).hint(Hint::Advice(
        "Change the text in the editor, or ask the user to save or discard the changes and make the same call again."
            .to_owned(),
    ))
}
