//! Failures of names and paths in the dependencies of the project.

use super::Files;
use crate::failure::{Failure, Hint, Kind, convert};
use toolpost_packages::{ResolveError, ResolveErrorKind};
use toolpost_text::names::suggest;
use toolpost_workspace::WorkspacePath;

/// The number of names that are suggested.
const SUGGESTED: usize = 5;

/// The refusal if dependencies must not be read.
pub(crate) fn switched_off() -> Failure {
    let advice =
        "The operator can switch it on (`dependencies`); search the workspace itself, or ask the user.";
    Failure::new(Kind::Denied, "What the project depends on cannot be read here: it is switched off.")
        .hint(Hint::Advice(advice.to_owned()))
}

/// The failure for the name of a dependency that does not resolve.
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
        Some(next) => failure.hint(Hint::Advice(convert::sentence(&next))),
        None => failure,
    }
}

/// The failure for a missing file in a package, with a suggestion of existing entries.
pub(crate) fn missing(files: &Files, path: &WorkspacePath) -> Failure {
    let failure = Failure::new(Kind::NotFound, format!("File not found: {}.", path.display()));
    let mut above = path.parent();
    while let Some(directory) = above {
        if let Ok(entries) = files.workspace().list(&directory) {
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
