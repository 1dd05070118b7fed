//! Checks that property tests store the cases that failed, so that later runs repeat them.

use super::Finding;
use crate::{explore, tree::Tree};

/// Setting of a property test that stores the failing cases in the directory of its crate. In a workspace, the
/// default of proptest does not work.
const KEPT: &str = "Direct(\"proptest-regressions/";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    // The other tests that `explore` runs take their cases from a seed, which they print.
    let with_properties = tree
        .rust()
        .filter(|file| file.text.contains("proptest! {") && !explore::properties(&file.text).is_empty());
    let lost = with_properties.filter(|file| !file.text.contains(KEPT));
    let finding = |path: &str| Finding {
        path: path.to_owned(),
        line: 1,
        what: "the property tests do not store the cases that failed".to_owned(),
        why: "a counterexample that a random run has found must be tried in every later run",
        next: "set failure_persistence to FileFailurePersistence::Direct(\"proptest-regressions/FILE.txt\")",
    };
    lost.map(|file| finding(&file.path)).collect()
}
