//! The roots, held open, with all that is needed to work beneath them.
#![expect(clippy::disallowed_methods, reason = "the disk door")]

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::fault::Fault;
use crate::options::{Durability, OpenError, Options, Scope};
use crate::path::WorkspacePath;
use crate::recovery::Recovery;
use crate::root::Root;
use crate::state::State;

/// The roots that are allowed, held open; cheap to clone.
#[derive(Clone)]
pub struct Workspace(Arc<Shared>);

struct Shared {
    roots: Vec<Root>,
    home: Option<PathBuf>,
    durability: Durability,
    state: Option<State>,
}

impl Workspace {
    /// Opens the roots, and puts right what a killed process left half done.
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
                Some(state.map_err(|fault| OpenError::State { state: shown(path), fault })?)
            }
            None => None,
        };
        let shared = Shared { roots, home: options.home, durability: options.durability, state };
        let workspace = Self(Arc::new(shared));
        let recovery = Recovery::run(&workspace);
        Ok((workspace, recovery))
    }

    /// Returns the roots, the one that relative paths start from first.
    pub fn roots(&self) -> &[Root] {
        &self.0.roots
    }

    /// Gives the state folder, if there is one that can be used.
    #[must_use]
    pub fn state_folder(&self) -> Option<&Path> {
        self.state().map(State::path)
    }

    /// Says in a line where state is kept, or what its absence means.
    pub fn state_report(&self) -> String {
        crate::probe::state(self.state_folder())
    }

    /// Makes the path of a place that was resolved before, if a root of this workspace holds it.
    pub(crate) fn known(&self, absolute: &Path) -> Option<WorkspacePath> {
        let root = Root::nearest(self.roots(), absolute)?;
        let relative = absolute.strip_prefix(root.path()).ok()?;
        let plain = relative.components().all(|component| matches!(component, Component::Normal(_)));
        plain.then(|| WorkspacePath::beneath(root, relative))
    }

    pub(crate) fn home(&self) -> Option<&Path> {
        self.0.home.as_deref()
    }

    pub(crate) fn durability(&self) -> Durability {
        self.0.durability
    }

    pub(crate) fn state(&self) -> Option<&State> {
        self.0.state.as_ref()
    }
}

impl std::fmt::Debug for Workspace {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Workspace").field(&self.0.roots).finish()
    }
}

fn open_root(given: &Path, position: usize, scope: Scope, home: Option<&Path>) -> Result<Root, OpenError> {
    let refused = |fault: Fault| OpenError::Root { root: shown(given), fault };
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
