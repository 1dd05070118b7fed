//! Sandboxes without namespaces: Landlock rules and a system call filter, and the restrictions that these
//! cannot enforce.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::confinement::Confinement;
use crate::creations::{Creations, unavailable};
use crate::enforcement::{Enforcement, Guard, GuardState, Means};
use crate::environment::Environment;
use crate::error::SandboxError;
use crate::filter::{Attributes, Sockets};
use crate::host::{self, Kind};
use crate::locks::Locks;
use crate::pins::pins_of;
use crate::plan::{Access, Plan};
use crate::rules::{AccessRight, NetworkScope, Rules};
use crate::scope::Scope;
use crate::system_paths::DEVICES;
use crate::view::{Content, View, root, view};

impl Confinement {
    /// Builds the sandbox of a program with Landlock only. `version` is the kernel's Landlock version, and
    /// `why` is the reason why no namespaces are used.
    ///
    /// # Errors
    ///
    /// If a root or a protected path cannot be inspected.
    pub fn by_landlock(
        plan: &Plan,
        environment: &Environment,
        version: u32,
        why: &str,
    ) -> Result<Self, SandboxError> {
        // Landlock rules can only add rights. To hide a path in a root, no rule could allow the root itself,
        // so the program could not create files at the top of the root. So the plan's hidden paths stay visible.
        let plan = &Plan { hidden: Vec::new(), ..plan.clone() };
        let view = view(plan, environment).map_err(root)?;
        let mut allowed = allowed(&view);
        let temporary = plan.temporary.as_ref().and_then(|path| host::real(path).ok());
        allowed.extend(temporary.iter().map(|path| (string(path), AccessRight::Change)));
        let pins = match plan.access {
            Access::Change => pins_of(&view, plan)?,
            Access::Read => Vec::new(),
        };
        // Without mounts, the supervisor guards existing protected paths in the same way as missing ones.
        let (mut missing, mut existing) = (Vec::new(), Vec::new());
        for of_root in &pins {
            missing.extend(of_root.guarded());
            existing.extend(of_root.unchanged.iter().map(|path| string(of_root.root.join(path))));
        }
        let changeable = allowed.iter().filter(|(_, right)| *right == AccessRight::Change);
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
        Ok(Self { enforcement, namespaces: None, creations, locks, scope, variables })
    }
}

/// Lists the paths that the Landlock rules allow, with the access to each.
fn allowed(view: &View) -> Vec<(CString, AccessRight)> {
    let mut allowed = vec![(c"/proc".to_owned(), AccessRight::Read)];
    for device in DEVICES.iter().chain(&["pts", "ptmx"]) {
        allowed.push((string(Path::new("/dev").join(device)), AccessRight::Device));
    }
    for place in &view.places {
        let right = match place.shown {
            Content::Read => AccessRight::Read,
            Content::Change => AccessRight::Change,
            // With Landlock only, these paths are the host's: private directories do not exist, and the
            // targets of links have their own rules.
            Content::Other(_) | Content::Empty | Content::Link(_) => continue,
        };
        for path in without(&place.path, &view.hidden) {
            allowed.push((string(path), right));
        }
    }
    allowed
}

/// Returns paths that together contain everything below a path, except for the hidden paths.
fn without(place: &Path, hidden: &[PathBuf]) -> Vec<PathBuf> {
    if hidden.iter().any(|hidden| place.starts_with(hidden)) {
        return Vec::new();
    }
    if !hidden.iter().any(|hidden| hidden.starts_with(place)) {
        return vec![place.to_owned()];
    }
    let names = host::names(place).into_iter().map(|name| place.join(name));
    // Landlock rules apply to the target of a link, so a link needs no rule.
    let entries = names.filter(|path| host::kind(path) != Some(Kind::Link));
    entries.flat_map(|path| without(&path, hidden)).collect()
}

/// The reason why a guard that checks system calls in another process is not complete.
const RACED: &str =
    "calls on protected paths are refused, but a program with threads can change a path during the check";

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
        (Guard::Network, GuardState::Yes("no socket can be created")),
        (
            Guard::Processes,
            since(
                6,
                "Landlock prevents signalling and inspecting other processes; their names remain visible",
                "signals",
            ),
        ),
        (Guard::Services, GuardState::Yes("no socket can be created, and shared memory is hidden")),
        (Guard::Kernel, GuardState::Yes("no privileges, no way to gain any, a system call filter")),
    ]
}

fn string(path: impl AsRef<Path>) -> CString {
    CString::new(path.as_ref().as_os_str().as_bytes()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests create directories")]

    use super::*;
    use std::fs;
    use toolpost_test_rows::each;

    #[test]
    fn allowed_paths_exclude_hidden_ones() {
        let directory = tempfile::tempdir().unwrap();
        let top = host::real(directory.path()).unwrap();
        for name in ["a/b", "a/c", "d"] {
            fs::create_dir_all(top.join(name)).unwrap();
        }
        fs::write(top.join("a/secret"), "").unwrap();
        std::os::unix::fs::symlink(top.join("a/secret"), top.join("e")).unwrap();
        let rows: [(&[&str], &[&str]); 4] =
            [(&[], &[""]), (&["a/secret"], &["a/b", "a/c", "d"]), (&["a", "d/none"], &[]), (&["d"], &["a"])];
        each(rows, |(hidden, wanted)| {
            let hidden: Vec<PathBuf> = hidden.iter().map(|name| top.join(name)).collect();
            let mut found = without(&top, &hidden);
            found.sort();
            let wanted: Vec<PathBuf> = wanted
                .iter()
                .map(|name| if name.is_empty() { top.clone() } else { top.join(name) })
                .collect();
            assert_eq!(found, wanted, "{hidden:?}");
        });
    }
}
