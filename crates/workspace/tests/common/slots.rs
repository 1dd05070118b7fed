//! A file with sixty slots, which are lines such as `slot007=0`.
//!
//! Each slot is changed by a different thread or process.

use std::thread;
use std::time::Duration;
use toolpost_workspace::{Action, Cause, Draft, Expect, Workspace};

/// Maximum wait for the lock.
const WAIT: Duration = Duration::from_secs(60);

const SLOTS: usize = 60;

/// Returns the content of the file with this value in each slot.
pub(crate) fn slots(value: u8) -> String {
    (0..SLOTS).map(|slot| format!("slot{slot:03}={value}\n")).collect()
}

/// Reads the file under the lock, changes one slot, and checks the others.
fn set(workspace: &Workspace, slot: usize) {
    let path = workspace.resolve("f").unwrap();
    let hold = workspace.hold(std::slice::from_ref(&path), WAIT).unwrap();
    let before = workspace.read(&path, 1 << 20).unwrap();
    let text = String::from_utf8(before.bytes).unwrap();
    let changed = text.replace(&format!("slot{slot:03}=0"), &format!("slot{slot:03}=1"));
    assert_ne!(changed, text);
    let action = Action::Write { bytes: changed.into(), expect: Expect::Hash(before.hash) };
    hold.commit(vec![Draft { path, action }], &Cause::default()).unwrap();
}

/// Changes the slots that `own` selects, each in a separate thread.
pub(crate) fn set_all(workspace: &Workspace, own: impl Fn(usize) -> bool) {
    thread::scope(|scope| {
        for slot in (0..SLOTS).filter(|slot| own(*slot)) {
            scope.spawn(move || set(workspace, slot));
        }
    });
}
