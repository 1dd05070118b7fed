//! Import of `index.scip` at the top of a root, for the files that are unchanged since the index was written.

use std::sync::Arc;

use toolpost_text::lines::LineIndex;
use toolpost_workspace::{ContentHash, Workspace};

use super::{Inner, State};
use crate::ResolutionMethod;
use crate::graph::{ExternalAnswer, FilePosition};
use crate::scip::{FILE, LARGEST, Names, Position, Scip};

/// The content of a file that a SCIP index describes.
struct ScipFile {
    path: Arc<str>,
    hash: ContentHash,
    text: String,
}

impl Inner {
    /// Imports the SCIP index, if it is new or has changed and is not larger than [`LARGEST`].
    pub(super) fn hear(&self, state: &mut State) {
        let Ok(path) = self.workspace.resolve(FILE) else { return };
        let stat = match self.workspace.stat(&path) {
            Ok(stat) if stat.len <= LARGEST => stat,
            _ => return,
        };
        if state.scip == Some((stat.modified, stat.len)) {
            return;
        }
        state.scip = Some((stat.modified, stat.len));
        let read = self.workspace.read(&path, LARGEST).ok().and_then(|read| Scip::read(&read.bytes));
        if let Some(scip) = read {
            take(&self.workspace, state, &scip, stat.modified);
        }
    }
}

fn take(workspace: &Workspace, state: &mut State, scip: &Scip, made: i128) {
    // Positions are only valid for the content that the index was made from. If the index does not contain that
    // content, the file must not be newer than the index.
    let heard = |names: &Names| -> Option<ScipFile> {
        let known = state.known.get(&names.path)?;
        if names.text.is_none() && i128::from(known.sign.stat.modified) > made {
            return None;
        }
        let read = workspace.read(&known.path, super::changes::LARGEST).ok()?;
        let text = String::from_utf8(read.bytes).ok()?;
        if names.text.as_ref().is_some_and(|held| *held != text) {
            return None;
        }
        Some(ScipFile { path: names.path.as_str().into(), hash: read.hash, text })
    };
    let files: Vec<Option<ScipFile>> = scip.files.iter().map(heard).collect();
    let indexes: Vec<Option<LineIndex>> =
        files.iter().map(|file| file.as_ref().map(|file| LineIndex::new(&file.text))).collect();
    let byte = |file: usize, position: Position| -> Option<u32> {
        let (heard, index) = (files[file].as_ref()?, indexes[file].as_ref()?);
        let line = index.range(usize::try_from(position.0).ok()? + 1)?;
        let column = scip.files[file].columns.byte(heard.text.get(line.clone())?, position.1)?;
        u32::try_from(line.start + column).ok()
    };
    let defined = scip.defined();
    for (number, names) in scip.files.iter().enumerate() {
        let Some(own) = &files[number] else { continue };
        let answer = |(position, symbol): &(Position, u32)| {
            let places = defined.get(symbol).map(Vec::as_slice).unwrap_or_default();
            // If a definition of a name is in a file that has changed since the index was written, the index gives no
            // answer for this name.
            let places: Option<Vec<FilePosition>> = places
                .iter()
                .map(|(file, position)| {
                    let target = files[*file].as_ref()?;
                    Some(FilePosition {
                        path: target.path.clone(),
                        hash: target.hash,
                        byte: byte(*file, *position)?,
                    })
                })
                .collect();
            Some((byte(number, *position)?, ExternalAnswer { by: ResolutionMethod::Scip, places: places? }))
        };
        let answers: Vec<(u32, ExternalAnswer)> = names.uses.iter().filter_map(answer).collect();
        state.graph.tell(&own.path, own.hash, answers);
    }
}
