//! Locations of the paths that a command names.

use std::path::{Component, Path, PathBuf};
use toolpost_shell::{Certainty, Places, Word};

/// A path that a command names, to the extent known before the command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// A known location; `relative` is set if it is below a root.
    At { absolute: PathBuf, relative: Option<String> },
    /// An unknown location.
    Unknown,
}

/// Returns all the locations that a word can mean.
pub(crate) fn of(word: &Word, places: &Places, directory: &Path, roots: &[PathBuf]) -> Vec<Place> {
    let named = match word.sure {
        Certainty::All => word.start.clone(),
        // The matches of a pattern are below the directory that it begins with, and so are the results of `find`.
        Certainty::Start if is_pattern(word) || is_below(word) => {
            let end = word.start.rfind('/').map_or(0, |slash| slash + 1);
            format!("{}…", &word.start[..end])
        }
        Certainty::Start | Certainty::Nothing => return vec![Place::Unknown],
    };
    if named.starts_with('~') {
        return vec![Place::At { absolute: PathBuf::from(named), relative: None }];
    }
    let Places::Known(places) = places else {
        return vec![if named.starts_with('/') { at(Path::new(&named), roots) } else { Place::Unknown }];
    };
    let mut found: Vec<Place> = Vec::new();
    for place in places {
        if place.starts_with('~') {
            found.push(Place::Unknown);
            continue;
        }
        let place = at(&directory.join(place).join(&named), roots);
        if !found.contains(&place) {
            found.push(place);
        }
    }
    found
}

/// Returns true for a result of `find`, or the pipe of a substitution: no name in it leads elsewhere.
fn is_below(word: &Word) -> bool {
    let pipe = word.start == "/dev/fd/" && word.text.starts_with(['<', '>']);
    pipe || (word.text == "{}" && word.start.ends_with('/'))
}

/// Returns true if the unknown part of a word is only the names that a pattern in it matches, and those are below its
/// beginning: hidden names do not match, and none leads upwards.
fn is_pattern(word: &Word) -> bool {
    let signs = ['*', '?', '['];
    let leads_away = |part: &str| part == ".." || (part.starts_with('.') && part.contains(signs));
    !word.text.contains(['$', '`', '(', '"', '\'', '\\', '{'])
        && word.text.contains(signs)
        && !word.text.split('/').any(leads_away)
}

fn at(path: &Path, roots: &[PathBuf]) -> Place {
    let absolute = straightened(path);
    let below = roots.iter().filter_map(|root| absolute.strip_prefix(root).ok());
    let relative = below.map(|rest| rest.to_string_lossy().into_owned()).min_by_key(String::len);
    Place::At { absolute, relative }
}

/// Removes `.` and `..` from a path lexically.
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
