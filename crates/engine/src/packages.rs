//! Packages that the project depends on: what is known of their words, and why one cannot be read.

use crate::{Engine, Failure, Hint, Kind};
use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
};
use toolpost_index::ranked::{Index, Meaning};
use toolpost_packages::{ResolveError, ResolveErrorKind};
use toolpost_text::names::suggest;
use toolpost_workspace::WorkspacePath;

/// How many packages are held in memory at once; the others are on the disk.
const HELD: usize = 96;
/// How many names are suggested.
const SUGGESTED: usize = 5;

/// What is known of packages; those that were asked about last are held.
#[derive(Default)]
pub(crate) struct Packages {
    folder: Option<PathBuf>,
    held: Mutex<Vec<(WorkspacePath, Package)>>,
}

/// What is known of one package.
#[derive(Clone)]
pub(crate) struct Package {
    pub(crate) index: Index,
    /// The vectors of its blocks; none where no model can be used.
    pub(crate) meaning: Option<Meaning>,
}

impl Packages {
    /// Keeps what is known in a folder, for all who read the same packages.
    pub(crate) fn kept_in(folder: Option<PathBuf>) -> Self {
        Self { folder, held: Mutex::default() }
    }

    /// Makes the same with nothing in memory.
    pub(crate) fn anew(&self) -> Self {
        Self::kept_in(self.folder.clone())
    }

    /// Gives the package in which a place lies; none for a place in a root.
    pub(crate) fn of(&self, engine: &Engine, place: &WorkspacePath) -> Option<Package> {
        place.root().label()?;
        let mut base = place.clone();
        // A package that is a single file lies beside others.
        let single =
            engine.workspace().stat(place).is_ok_and(|stat| stat.kind == toolpost_workspace::Kind::File)
                && place.parent().is_some_and(|above| above.is_root());
        while let Some(above) = base.parent().filter(|_| !single) {
            base = above;
        }
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |(known, _): &(WorkspacePath, Package)| {
            *known == base && known.root().label() == base.root().label()
        };
        let known = held.iter().position(is_it).map(|at| held.remove(at).1);
        let package = known.unwrap_or_else(|| {
            let index = engine.words().of_package(base.clone(), self.folder.clone());
            let meaning = engine.model().ok().map(|model| Meaning::new(model, index.folder()));
            Package { index, meaning }
        });
        if held.len() >= HELD {
            held.remove(0);
        }
        held.push((base, package.clone()));
        Some(package)
    }
}

/// The refusal where no dependency may be read.
pub(crate) fn switched_off() -> Failure {
    let advice =
        "The operator can switch it on (`dependencies`); search the workspace itself, or ask the user.";
    Failure::new(Kind::Denied, "What the project depends on cannot be read here: it is switched off.")
        .hint(Hint::Advice(advice.to_owned()))
}

/// Words why the name of a dependency leads nowhere.
pub(crate) fn unresolved(unresolved: ResolveError) -> Failure {
    let ResolveError { why, what, found, near, next } = unresolved;
    let kind = match why {
        ResolveErrorKind::Malformed => Kind::Invalid,
        ResolveErrorKind::Unknown | ResolveErrorKind::Absent => Kind::NotFound,
        ResolveErrorKind::Several => Kind::Ambiguous,
        ResolveErrorKind::Outside => Kind::Outside,
    };
    let mut failure = Failure::new(kind, what);
    failure.found = found;
    if !near.is_empty() {
        failure = failure.hint(Hint::DidYouMean(near));
    }
    match next {
        Some(next) => failure.hint(Hint::Advice(crate::failures::sentence(&next))),
        None => failure,
    }
}

/// Nothing is at a place in a package: says so, with what is there.
pub(crate) fn missing(engine: &Engine, path: &WorkspacePath) -> Failure {
    let failure = Failure::new(Kind::NotFound, format!("File not found: {}.", path.display()));
    let mut above = path.parent();
    while let Some(directory) = above {
        if let Ok(entries) = engine.workspace().list(&directory) {
            let names: Vec<&str> = entries.iter().filter_map(|entry| entry.name.to_str()).collect();
            let wanted =
                path.raw().strip_prefix(directory.raw()).ok().and_then(|rest| rest.iter().next()?.to_str());
            let near = suggest(wanted.unwrap_or_default(), &names, SUGGESTED);
            let full = |name: &&str| format!("{}/{name}", directory.display());
            return match near.is_empty() {
                false => failure.hint(Hint::DidYouMean(near.iter().map(full).collect())),
                true => failure.hint(Hint::LookInto(directory)),
            };
        }
        above = directory.parent();
    }
    failure
}
