//! Search for a glob among the file names that the trigram index holds in memory.

use std::sync::{Arc, Mutex, PoisonError};

use toolpost_trigrams::{Names, Sieve, TrigramIndex};
use toolpost_workspace::WorkspacePath;
use toolpost_workspace::walk::{Claim, EntryType, Options};

use super::GlobRequest;
use super::judge::Judge;
use super::pattern::State;
use crate::Control;

/// The directory of the name that was matched last, with the state of the glob in that directory.
#[derive(Default)]
struct DirectoryState {
    directory: Vec<u8>,
    state: Option<State>,
}

/// Finds the matching files in the index. `None` if the index cannot list all names or the search was stopped, so that
/// the caller must walk the tree.
pub(super) fn find(
    index: &TrigramIndex,
    request: &GlobRequest,
    start: &WorkspacePath,
    options: &Options,
    judge: &Arc<Judge>,
    control: &Control,
) -> Option<Names> {
    let (judge, way) = (Arc::clone(judge), Mutex::new(DirectoryState::default()));
    let judged = move |relative: &[u8], what: EntryType| {
        let mut way = way.lock().unwrap_or_else(PoisonError::into_inner);
        judged(&judge, &mut way, relative, what)
    };
    let sieve = Sieve {
        base: start.clone(),
        name: format!("{:?} {:?} {:?}", request.pattern, request.case, request.depth),
        may_read: None,
        judge: Some(Arc::new(judged)),
    };
    index.names(options, sieve, &|| control.stops()).ok()
}

fn judged(judge: &Judge, way: &mut DirectoryState, relative: &[u8], what: EntryType) -> Claim {
    let (directory, name) = match relative.iter().rposition(|byte| *byte == b'/') {
        Some(end) => (relative.get(..end).unwrap_or_default(), relative.get(end + 1..).unwrap_or_default()),
        None => (&[][..], relative),
    };
    let state = match &way.state {
        Some(state) if way.directory == directory => state,
        _ => {
            way.directory.clear();
            way.directory.extend_from_slice(directory);
            way.state.insert(within(judge, directory))
        }
    };
    match what {
        EntryType::File => judge.file(state, name),
        EntryType::Directory => {
            let level = 1 + memchr::memchr_iter(b'/', relative).count();
            judge.directory(state, name, level).0
        }
    }
}

/// Returns the state of the glob in a directory: the segments that the names in it may match.
fn within(judge: &Judge, directory: &[u8]) -> State {
    let names = directory.split(|byte| *byte == b'/').filter(|name| !name.is_empty());
    names.fold(judge.pattern.start(), |state, name| judge.pattern.step(&state, name).below)
}
