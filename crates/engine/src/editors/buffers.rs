//! Buffers of an attached editor with changes that are not on disk, among the files that a call names.

use super::{Act, Standing, shown::inside};
use crate::{
    access::{Extent, Touch},
    call::CallCtx,
    editors::Editors,
    failure::{Failure, Hint, Kind},
    workers::blocking,
};
use std::time::Duration;
use toolpost_workspace::{Kind as FileKind, WorkspacePath};

/// Time that a call waits for the editor to list its buffers, so that an editor that hangs delays no tool for long.
const WAIT: Duration = Duration::from_secs(1);

/// Notes of a reply about an editor's buffers.
#[derive(Debug, Default)]
pub struct BufferNotes {
    /// Notes about this call.
    pub of_call: Vec<String>,
    /// Notes that a session shows once.
    pub of_session: Vec<String>,
}

/// Refuses to write a file that has unsaved changes in the attached editor, and notes those that are read.
///
/// Calls of the editor's own tools go through the buffer and are not checked.
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
    let Ok(Ok(view)) = tokio::time::timeout(cx.time_left(WAIT), editor.ask(Act::Look, cx)).await else {
        notes.of_session.push(format!(
            "{} did not answer, so files may have unsaved changes there that are not on disk",
            editor.name()
        ));
        return Ok(notes);
    };
    let unsaved = view.open.into_iter().filter(|buffer| buffer.standing == Standing::Unsaved);
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

/// A path that a call names.
struct FileUse {
    path: WorkspacePath,
    purpose: Purpose,
}

/// The purpose for which a call names a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Read,
    Change,
    /// The path is removed, with everything beneath it.
    Removal,
}

impl FileUse {
    fn covers(&self, open: &WorkspacePath) -> bool {
        *open == self.path || (self.purpose == Purpose::Removal && open.raw().starts_with(self.path.raw()))
    }
}

/// Lists the files that a call names, and the directories that it would move or delete; a read counts only without a write.
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
        "Change the text in the editor, or ask the user to save or discard it and make the same call again."
            .to_owned(),
    ))
}
