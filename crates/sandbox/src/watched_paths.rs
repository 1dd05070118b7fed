//! Paths of a plan whose changes are reported.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, openat};

use crate::names::Names;
use crate::nested::nested;
use crate::plan::Plan;

/// Lists the reported paths of a plan: those at the top of each root whether they exist or not, the existing ones
/// below it, and the files with which the repositories in the roots continue an interrupted operation.
pub fn reported_files(plan: &Plan) -> BTreeSet<PathBuf> {
    let names = Names::of(&plan.protected, &plan.reported);
    plan.roots.iter().flat_map(|root| of_root(root, plan, &names)).collect()
}

fn of_root(root: &Path, plan: &Plan, names: &Names) -> Vec<PathBuf> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let found =
        openat(CWD, root, flags, Mode::empty()).map(|root| nested(&root, names, &plan.nested).reported);
    let named = plan.reported.iter().map(|name| root.join(name));
    named.chain(found.unwrap_or_default().iter().map(|path| root.join(path))).collect()
}
