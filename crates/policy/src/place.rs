//! Locations of the paths that a command names, to the extent known before the command runs.

use std::path::{Component, Path, PathBuf};
use toolpost_shell::{Certainty, Places, Word};
use toolpost_workspace::{PathError, Workspace};

/// The location of a path that a command names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CommandPath {
    /// A known location; `relative` is the path below a root, if the location is in one.
    At { absolute: PathBuf, relative: Option<String> },
    /// A location that is known only when the command runs.
    Unknown,
}

/// Returns every location that a word of a command can name. With a workspace, that includes the location to
/// which the path leads through symbolic links.
pub(crate) fn of(
    word: &Word,
    places: &Places,
    (directory, roots): (&Path, &[PathBuf]),
    workspace: Option<&Workspace>,
) -> Vec<CommandPath> {
    let named = match word.sure {
        Certainty::All => word.start.clone(),
        // The matches of a wildcard pattern, and the results of `find`, are below the directory with which the word
        // begins. The path ends in `…`, which stands for the unknown rest.
        Certainty::Start if is_pattern(word) || is_below(word) => {
            let end = word.start.rfind('/').map_or(0, |slash| slash + 1);
            format!("{}…", &word.start[..end])
        }
        Certainty::Start | Certainty::Nothing => return vec![CommandPath::Unknown],
    };
    if named.starts_with('~') {
        return vec![CommandPath::At { absolute: PathBuf::from(named), relative: None }];
    }
    let Places::Known(places) = places else {
        return vec![if named.starts_with('/') {
            at(Path::new(&named), roots)
        } else {
            CommandPath::Unknown
        }];
    };
    let mut found: Vec<CommandPath> = Vec::new();
    for place in places {
        if place.starts_with('~') {
            found.push(CommandPath::Unknown);
            continue;
        }
        for place in ends(&directory.join(place).join(&named), roots, workspace) {
            if !found.contains(&place) {
                found.push(place);
            }
        }
    }
    found
}

/// Returns the location of a path, and the location to which it leads through links if that is another one.
pub(crate) fn ends(
    path: &Path,
    roots: &[PathBuf],
    workspace: Option<&Workspace>,
) -> impl Iterator<Item = CommandPath> + use<> {
    let linked = workspace.and_then(|workspace| through_links(workspace, path, roots));
    [Some(at(path, roots)), linked].into_iter().flatten()
}

/// Returns the location at which a path ends if the links in it are followed as the kernel does: `..` leads
/// to the parent of a link's target. `None` if links do not change the location, or the path cannot be
/// followed.
fn through_links(workspace: &Workspace, path: &Path, roots: &[PathBuf]) -> Option<CommandPath> {
    let mut real = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                real = match followed(workspace, &real, roots)? {
                    CommandPath::At { absolute, relative: Some(_) } => absolute,
                    outside => return Some(outside),
                };
                real.pop();
            }
            other => real.push(other),
        }
    }
    let place = followed(workspace, &real, roots)?;
    (place != at(path, roots)).then_some(place)
}

fn followed(workspace: &Workspace, path: &Path, roots: &[PathBuf]) -> Option<CommandPath> {
    // A path outside the roots is judged by its text, so its links are not followed.
    roots.iter().find(|root| path.starts_with(root))?;
    match workspace.resolve(path.to_str()?) {
        Ok(found) => Some(at(found.raw(), roots)),
        Err(PathError::Outside { .. }) => Some(CommandPath::At { absolute: path.to_owned(), relative: None }),
        Err(_) => None,
    }
}

/// Returns true for a result of `find` and for the pipe of a process substitution, since neither can be
/// outside the known directory with which the word begins.
fn is_below(word: &Word) -> bool {
    let pipe = word.start == "/dev/fd/" && word.text.starts_with(['<', '>']);
    pipe || (word.text == "{}" && word.start.ends_with('/'))
}

/// Returns true if a word is unknown only because of wildcards, and every match is below the directory before
/// them: no part of the word is `..`, and no wildcard matches hidden names.
fn is_pattern(word: &Word) -> bool {
    let signs = ['*', '?', '['];
    let leads_away = |part: &str| part == ".." || (part.starts_with('.') && part.contains(signs));
    !word.text.contains(['$', '`', '(', '"', '\'', '\\', '{'])
        && word.text.contains(signs)
        && !word.text.split('/').any(leads_away)
}

fn at(path: &Path, roots: &[PathBuf]) -> CommandPath {
    let absolute = straightened(path);
    let below = roots.iter().filter_map(|root| absolute.strip_prefix(root).ok());
    let relative = below.map(|rest| rest.to_string_lossy().into_owned()).min_by_key(String::len);
    CommandPath::At { absolute, relative }
}

/// Removes `.` and `..` from a path by its text, without following links.
fn straightened(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}
