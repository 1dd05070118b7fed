//! Approvals for the rest of a session.

use crate::access::{Touch, command::Host};
use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

/// Maximum number of stored accesses; further accesses need approval again.
const MOST: usize = 1000;
/// Maximum total size of the rules that are approved for a session, in bytes.
const MOST_RULES: usize = 64 * 1024;
/// Limits for names of hosts that are looked up before the user is asked: the maximum length of a name in bytes, and the
/// maximum number of lookups in a session after which no prompt was shown. A model can put data into a name, which the
/// name servers of its domain receive.
const MOST_LOOKED_UP: (usize, usize) = (64, 8);

/// Approvals for the rest of a session: exact accesses, and rules that a prompt showed to the user.
#[derive(Debug, Default)]
pub struct SessionApprovals {
    touches: Mutex<Vec<Touch>>,
    rules: Mutex<String>,
    /// The number of lookups of host names after which no prompt was shown.
    lookups: AtomicUsize,
}

impl SessionApprovals {
    /// Adds approved accesses. Those beyond the maximum number are not stored.
    pub fn add(&self, touches: impl IntoIterator<Item = Touch>) {
        let mut granted = self.touches.lock().unwrap_or_else(PoisonError::into_inner);
        for touch in touches {
            if granted.len() < MOST && !granted.contains(&touch) {
                granted.push(touch);
            }
        }
    }

    /// Adds approved rules, in the format of a policy file. Rules that would exceed the maximum size are not stored.
    pub fn add_rules(&self, rules: &str) {
        let mut known = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() + rules.len() <= MOST_RULES && !known.contains(rules) {
            known.push_str(rules);
        }
    }

    /// Returns true if the name of a host may be looked up before the user is asked about it.
    #[must_use]
    pub fn may_look_up(&self, host: &Host) -> bool {
        let (longest, most) = MOST_LOOKED_UP;
        host.name().len() <= longest && self.lookups.load(Ordering::Relaxed) < most
    }

    /// Counts a lookup after which the user was not asked.
    pub fn count_lookup(&self) {
        self.lookups.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the rules approved for the session.
    #[must_use]
    pub fn rules(&self) -> String {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns true if exactly this access was approved.
    #[must_use]
    pub fn holds(&self, touch: &Touch) -> bool {
        self.touches.lock().unwrap_or_else(PoisonError::into_inner).contains(touch)
    }
}
