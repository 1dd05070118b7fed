//! Failures for unknown dependencies of the project, and for missing paths in them.

use super::Files;
use crate::failure::{Failure, Hint, Kind, convert};
use toolpost_packages::{ResolveError, ResolveErrorKind};
use toolpost_text::names::suggest;
use toolpost_workspace::WorkspacePath;

/// The maximum number of similar entries of a package that a failure suggests.
const SUGGESTED: usize = 5;

/// Creates the failure for access to dependencies while the setting `dependencies` is off.
pub(crate) fn switched_off() -> Failure {
    let advice =
        "Search the workspace instead, or ask the user: the operator can turn on the setting `dependencies`.";
    Failure::new(
        Kind::Denied,
        "The project's dependencies cannot be read: the setting `dependencies` is off.",
    )
    .hint(Hint::Advice(advice.to_owned()))
}

/// Converts the error for a dependency name that does not resolve to one path.
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

/// Creates the failure for a path that does not exist in a dependency's package, with suggestions of existing entries.
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
