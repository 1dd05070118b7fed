//! Opening a workspace: its roots, its state directory, and the recovery of interrupted commits.
#![expect(clippy::disallowed_methods, reason = "this module accesses the disk")]

use std::fs;
use std::path::Path;

use rustix::io::Errno;

use crate::fault::SystemError;
use crate::options::{OpenError, Options, Scope};
use crate::recovery::Recovery;
use crate::root::Root;
use crate::seal::KEY;
use crate::state::State;
use crate::workspace::Workspace;

impl Workspace {
    /// Opens the roots and the state directory, and recovers commits (sets of file changes) that a killed
    /// process left unfinished.
    pub fn open(options: Options) -> Result<(Self, Recovery), OpenError> {
        let home = options.home.as_deref();
        let roots = options
            .roots
            .iter()
            .enumerate()
            .map(|(position, given)| open_root(given, position, options.scope, home))
            .collect::<Result<Vec<Root>, OpenError>>()?;
        let state = match &options.state {
            Some(path) => {
                if let Some(why) = State::shared_with(path) {
                    return Err(OpenError::StateShared { state: shown(path), why });
                }
                let state = State::open(path, options.history);
                Some(state.map_err(|fault| {
                    if fault.errno() == Errno::BADMSG {
                        return OpenError::Key { key: shown(&path.join(KEY)) };
                    }
                    OpenError::State { state: shown(path), fault }
                })?)
            }
            None => None,
        };
        let workspace = Self::new(roots, options.home, options.durability, state);
        let recovery = Recovery::run(&workspace);
        Ok((workspace, recovery))
    }
}

fn open_root(given: &Path, position: usize, scope: Scope, home: Option<&Path>) -> Result<Root, OpenError> {
    let refused = |fault: SystemError| OpenError::Root { root: shown(given), fault };
    let path = fs::canonicalize(given).map_err(|error| refused(error.into()))?;
    let root = Root::open(path, position).map_err(refused)?;
    if scope == Scope::Any {
        return Ok(root);
    }
    if is_place(&root, Path::new("/")) {
        return Err(OpenError::WholeSystem { root: shown(given) });
    }
    if home.is_some_and(|home| is_place(&root, home)) {
        return Err(OpenError::Home { root: shown(given) });
    }
    Ok(root)
}

fn is_place(root: &Root, place: &Path) -> bool {
    rustix::fs::stat(place).is_ok_and(|stat| root.is(&stat))
}

fn shown(path: &Path) -> String {
    toolpost_text::escape::name(path.as_os_str().as_encoded_bytes()).into_owned()
}
