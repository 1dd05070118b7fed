//! Globs that begin with a slash: below the searched directory, or absolute.

use std::borrow::Cow;

use toolpost_workspace::{AccessKind, Kind, Workspace, WorkspacePath};

use crate::{SearchError, said};

/// Makes an absolute glob one that is meant from the searched directory on; every other glob stays as it is.
///
/// A glob that leaves files out may name a place outside: there is nothing to leave out there.
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
        "there is no {first:?} in {shown}, and as an absolute path it does not lead below {shown}: \
         begin the glob with a name in {shown}, or search another path"
    );
    Err(SearchError::Glob { pattern: glob.to_owned(), why })
}

/// Takes the directory off a glob that begins with it as it is called.
fn spelled(base: &WorkspacePath, path: &str) -> Option<String> {
    let rest = path.strip_prefix(base.raw().to_str()?)?;
    match rest.trim_end_matches('/') {
        "" => Some("**".to_owned()),
        _ => rest.starts_with('/').then(|| rest.to_owned()),
    }
}

/// Takes the directory off a glob that leads below it, perhaps by another name or from further above.
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
    let Ok(place) = said::below(workspace, base, name) else { return false };
    !matches!(workspace.stat(&place), Err(error) if error.why == AccessKind::Missing)
}

/// Says whether a name in a glob stands for others too.
fn is_wild(name: &str) -> bool {
    name.contains(['*', '?', '[', '{', '\\'])
}
