//! Confinement without namespaces: Landlock rules and a filter of system calls, and what they cannot do.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::environment::Environment;
use crate::error::StartError;
use crate::sandbox::confinement::{Confinement, pins_of, root};
use crate::sandbox::creations::{Creations, unavailable};
use crate::sandbox::enforcement::{Enforcement, Guard, GuardState, Means};
use crate::sandbox::filter::{Attributes, Sockets};
use crate::sandbox::host::{self, Kind};
use crate::sandbox::locks::Locks;
use crate::sandbox::pins::Pins;
use crate::sandbox::places::DEVICES;
use crate::sandbox::plan::{Access, Plan};
use crate::sandbox::rules::{NetworkScope, Right, Rules};
use crate::sandbox::scope::Scope;
use crate::sandbox::view::{Content, View, view};

/// Confines a program by a version of the kernel's Landlock; `why` says why by nothing better.
pub(crate) fn confine(
    plan: &Plan,
    environment: &Environment,
    version: u32,
    why: &str,
) -> Result<Confinement, StartError> {
    let view = view(plan, environment).map_err(root)?;
    let mut allowed = allowed(&view);
    let temporary = plan.temporary.as_ref().and_then(|path| host::real(path).ok());
    allowed.extend(temporary.iter().map(|path| (string(path), Right::Change)));
    let pins = match plan.access {
        Access::Change => pins_of(&view, &plan.protected)?,
        Access::Read => Vec::new(),
    };
    // Nothing is mounted here, so what exists is guarded in the same way as what is missing.
    let (mut missing, mut existing) = (Vec::new(), Vec::new());
    for Pins { root, missing: of_root, unchanged, .. } in &pins {
        missing.extend(of_root.iter().map(|path| string(root.join(path))));
        existing.extend(unchanged.iter().map(|path| string(root.join(path))));
    }
    let changeable = allowed.iter().filter(|(_, right)| *right == Right::Change);
    let changeable: Vec<CString> = changeable.map(|(path, _)| path.clone()).collect();
    let rules = Rules::new(version, NetworkScope::OfHost, allowed);
    let creations = Creations::on_host(missing, existing, changeable);
    let attributes = if creations.is_some() { Attributes::Allowed } else { Attributes::Refused };
    let enforcement =
        Enforcement { means: Means::Landlock, landlock: Some(version), guards: guards(version, why) };
    let locks = Locks::new(Some(rules), Sockets::None, attributes);
    let of_plan = (plan.access, plan.network);
    let scope = Scope::new(&view, &pins, of_plan, Means::Landlock, temporary.clone());
    let variables = temporary.map(|path| ("TMPDIR", path.into_os_string())).into_iter().collect();
    Ok(Confinement { enforcement, namespaces: None, creations, locks, scope, variables })
}

/// Lists what may be read and what may be changed.
fn allowed(view: &View) -> Vec<(CString, Right)> {
    let mut allowed = vec![(c"/proc".to_owned(), Right::Read)];
    for device in DEVICES.iter().chain(&["pts", "ptmx"]) {
        allowed.push((string(Path::new("/dev").join(device)), Right::Device));
    }
    for place in &view.places {
        let right = match place.shown {
            Content::Read => Right::Read,
            Content::Change => Right::Change,
            // With Landlock alone these directories are the host's, and the target of a link has its own place.
            Content::Other(_) | Content::Empty | Content::Link(_) => continue,
        };
        for path in without(&place.path, &view.hidden) {
            allowed.push((string(path), right));
        }
    }
    allowed
}

/// Returns the paths that cover a place, except for the hidden paths in it.
fn without(place: &Path, hidden: &[PathBuf]) -> Vec<PathBuf> {
    if hidden.iter().any(|hidden| place.starts_with(hidden)) {
        return Vec::new();
    }
    if !hidden.iter().any(|hidden| hidden.starts_with(place)) {
        return vec![place.to_owned()];
    }
    let names = host::names(place).into_iter().map(|name| place.join(name));
    // A link is as readable as what it leads to.
    let entries = names.filter(|path| host::kind(path) != Some(Kind::Link));
    entries.flat_map(|path| without(&path, hidden)).collect()
}

/// Why a guard that looks at calls is not the kernel's.
const RACED: &str =
    "calls are looked at and refused, but a program with several threads can change a path meanwhile";

fn guards(version: u32, why: &str) -> Vec<(Guard, GuardState)> {
    let since = |first: u32, how: &'static str, gap: &str| {
        if version >= first {
            GuardState::Yes(how)
        } else {
            GuardState::No(format!("Landlock {version} does not cover {gap}"))
        }
    };
    let not = |what: &str| GuardState::No(format!("{what} ({why})"));
    vec![
        (Guard::Writes, since(3, "Landlock rules", "the truncation of files")),
        (Guard::Reads, GuardState::Yes("Landlock rules")),
        (Guard::Protected, not(unavailable().unwrap_or(RACED))),
        (Guard::Missing, not(unavailable().unwrap_or(RACED))),
        (Guard::Network, GuardState::Yes("no socket can be made")),
        (Guard::Processes, since(6, "Landlock keeps signals and looks inside; names are seen", "signals")),
        (Guard::Services, GuardState::Yes("no socket can be made, and shared memory is not there")),
        (Guard::Kernel, GuardState::Yes("no rights, no way to new ones, a filter of system calls")),
    ]
}

fn string(path: impl AsRef<Path>) -> CString {
    CString::new(path.as_ref().as_os_str().as_bytes()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests make directories")]

    use super::*;
    use std::fs;

    #[test]
    fn what_is_hidden_is_left_out() {
        let directory = tempfile::tempdir().unwrap();
        let top = host::real(directory.path()).unwrap();
        for name in ["a/b", "a/c", "d"] {
            fs::create_dir_all(top.join(name)).unwrap();
        }
        fs::write(top.join("a/secret"), "").unwrap();
        std::os::unix::fs::symlink(top.join("a/secret"), top.join("e")).unwrap();
        let rows: [(&[&str], &[&str]); 4] =
            [(&[], &[""]), (&["a/secret"], &["a/b", "a/c", "d"]), (&["a", "d/none"], &[]), (&["d"], &["a"])];
        for (hidden, wanted) in rows {
            let hidden: Vec<PathBuf> = hidden.iter().map(|name| top.join(name)).collect();
            let mut found = without(&top, &hidden);
            found.sort();
            let wanted: Vec<PathBuf> = wanted
                .iter()
                .map(|name| if name.is_empty() { top.clone() } else { top.join(name) })
                .collect();
            assert_eq!(found, wanted, "{hidden:?}");
        }
    }
}
