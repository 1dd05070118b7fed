//! The sandbox of commands, from the settings and the rules.

use crate::settings::{Settings, values::OnOff};
use std::path::{Path, PathBuf};
use toolpost_engine::{Access, Confinement, Environment, PathAccess, PathList, Plan, Sandbox};
use toolpost_runtime::{Policy, UnreachableReason};
use toolpost_workspace::Workspace;

/// Creates the sandbox plan of commands, unless the sandbox is off: roots are writable unless writing is denied,
/// protected files are read-only, and the paths in `hidden` are not visible.
pub(crate) fn sandbox(
    settings: &Settings,
    workspace: &Workspace,
    policy: &Policy,
    hidden: Vec<PathBuf>,
) -> Sandbox {
    if settings.sandbox.value == OnOff::Off {
        return Sandbox::Off;
    }
    let writes = !settings.denied().contains(&Access::Writes);
    let access = if writes { Confinement::Change } else { Confinement::Read };
    let roots = workspace.roots().iter().map(|root| root.path().to_path_buf());
    let rules = policy.clone();
    let protected = PathList::later(move || rules.protected_names());
    let rules = policy.clone();
    let reported = PathList::later(move || rules.reported_names());
    Sandbox::On(Plan { access, protected, reported, hidden, ..Plan::new(roots) })
}

/// Lets the policy know which accesses the sandbox prevents, so that it denies them without a prompt.
pub(crate) fn confining(
    settings: &Settings,
    workspace: &Workspace,
    policy: Policy,
    hidden: Vec<PathBuf>,
) -> Policy {
    match sandbox(settings, workspace, &policy, hidden) {
        Sandbox::On(plan) => policy.confining(move |access, path| prevents(&plan, access, path)),
        Sandbox::Off => policy,
    }
}

fn prevents(plan: &Plan, access: Access, path: &Path) -> Option<UnreachableReason> {
    let environment = Environment::of_this_process();
    let path = environment.expanded(path);
    let found = plan.readability(&environment)?.of(&path);
    let is_read = access == Access::Reads;
    let is_home = environment.get("HOME").is_some_and(|home| path == Path::new(home));
    match found {
        PathAccess::Change | PathAccess::ReadRoot => None,
        PathAccess::Own => Some(UnreachableReason::Own),
        PathAccess::Protected => (!is_read).then_some(UnreachableReason::Protected),
        PathAccess::Read => (!is_read).then_some(UnreachableReason::ReadOnly),
        PathAccess::Hidden => {
            Some(if is_read { UnreachableReason::Hidden } else { UnreachableReason::ReadOnly })
        }
        PathAccess::Part => Some(if is_read { UnreachableReason::Part } else { UnreachableReason::ReadOnly }),
        // No rule makes this path readable: a path in the home directory that a rule can make readable is
        // `PathAccess::Read`.
        PathAccess::Home if is_read && !is_home => Some(UnreachableReason::Hidden),
        PathAccess::Home => Some(UnreachableReason::Private),
    }
}
