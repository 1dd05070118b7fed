//! Approvals for the rest of a session.

use crate::access::Touch;
use std::sync::{Mutex, PoisonError};

/// Maximum number of stored accesses; further accesses need approval again.
const MOST: usize = 1000;
/// Maximum total size of the rules that are approved for a session, in bytes.
const MOST_RULES: usize = 64 * 1024;

/// Approvals for the rest of a session: exact accesses, and rules that a prompt showed to the user.
#[derive(Debug, Default)]
pub struct SessionApprovals {
    touches: Mutex<Vec<Touch>>,
    rules: Mutex<String>,
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
