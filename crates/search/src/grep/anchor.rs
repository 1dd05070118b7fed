//! Globs that begin with a slash, which are relative to the searched directory, or absolute paths.

use std::borrow::Cow;

use toolpost_workspace::{AccessKind, Kind, Workspace, WorkspacePath};

use crate::{SearchError, request_path};

/// Converts an absolute glob into one relative to the searched directory `base`. A relative glob is returned unchanged,
/// and so is one that begins with a slash and a name in `base`.
///
/// A glob that excludes files (`!`) may name a path outside `base`, because it excludes nothing there.
pub(super) fn from_base<'g>(
    workspace: &Workspace,
    base: &WorkspacePath,
    glob: &'g str,
) -> Result<Cow<'g, str>, SearchError> {
    let (sign, path) = glob.strip_prefix('!').map_or(("", glob), |path| ("!", path));
    let is_directory = || workspace.stat(base).is_ok_and(|stat| stat.kind == Kind::Directory);
    if !path.starts_with('/') || !is_directory() {
        return Ok(Cow::Borrowed(glob));
    }
    if let Some(meant) = resolved(workspace, base, path).or_else(|| spelled(base, path)) {
        return Ok(Cow::Owned(format!("{sign}{meant}")));
    }
    let first = path.split('/').find(|name| !name.is_empty()).unwrap_or_default();
    if sign == "!" || first.is_empty() || is_wild(first) || is_there(workspace, base, first) {
        return Ok(Cow::Borrowed(glob));
    }
    let shown = base.display();
    let why = format!(
        "as an absolute path it is outside {shown}, and {shown} has no {first:?}: begin the glob with a name in \
         {shown}, or search another path"
    );
    Err(SearchError::Glob { pattern: glob.to_owned(), why })
}

/// Removes the path of the searched directory from the start of a glob, if the glob begins with its text.
fn spelled(base: &WorkspacePath, path: &str) -> Option<String> {
    let rest = path.strip_prefix(base.raw().to_str()?)?;
    match rest.trim_end_matches('/') {
        "" => Some("**".to_owned()),
        _ => rest.starts_with('/').then(|| rest.to_owned()),
    }
}

/// Removes the path of the searched directory from the start of a glob that leads into it in another way: through a
/// symlink, or from a parent with `**`.
fn resolved(workspace: &Workspace, base: &WorkspacePath, path: &str) -> Option<String> {
    let names: Vec<&str> = path.split('/').collect();
    let (literal, wild) = names.split_at(names.iter().take_while(|name| !is_wild(name)).count());
    let place = workspace.resolve(&literal.join("/")).ok()?;
    let wild = wild.join("/");
    let Ok(below) = place.raw().strip_prefix(base.raw()) else {
        return (place.contains(base) && wild.starts_with("**/")).then_some(wild);
    };
    let below = globset::escape(below.to_str()?);
    match (below.as_str(), wild.as_str()) {
        ("", "") => Some("**".to_owned()),
        ("", rest) | (rest, "") => Some(format!("/{rest}")),
        (below, wild) => Some(format!("/{below}/{wild}")),
    }
}

fn is_there(workspace: &Workspace, base: &WorkspacePath, name: &str) -> bool {
    let Ok(place) = request_path::below(workspace, base, name) else { return false };
    !matches!(workspace.stat(&place), Err(error) if error.why == AccessKind::Missing)
}

/// Returns whether a part of a glob between slashes contains wildcards.
fn is_wild(name: &str) -> bool {
    name.contains(['*', '?', '[', '{', '\\'])
}
