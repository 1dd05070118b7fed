//! Approvals that hold for the rest of a session.

use crate::access::Touch;
use std::sync::{Mutex, PoisonError};

/// Maximum number of remembered accesses; later ones need approval again.
const MOST: usize = 1000;
/// Maximum size of the remembered rules, in bytes.
const MOST_RULES: usize = 64 * 1024;

/// Approvals that hold for the rest of a session: exact accesses, and rules that the user has seen.
#[derive(Debug, Default)]
pub struct Granted {
    touches: Mutex<Vec<Touch>>,
    rules: Mutex<String>,
}

impl Granted {
    /// Remembers accesses.
    pub fn add(&self, touches: impl IntoIterator<Item = Touch>) {
        let mut granted = self.touches.lock().unwrap_or_else(PoisonError::into_inner);
        for touch in touches {
            if granted.len() < MOST && !granted.contains(&touch) {
                granted.push(touch);
            }
        }
    }

    /// Remembers rules, in the form of a policy file.
    pub fn add_rules(&self, rules: &str) {
        let mut known = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() + rules.len() <= MOST_RULES && !known.contains(rules) {
            known.push_str(rules);
        }
    }

    /// Returns the rules that hold for the session.
    #[must_use]
    pub fn rules(&self) -> String {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns whether exactly this access was approved.
    #[must_use]
    pub fn holds(&self, touch: &Touch) -> bool {
        self.touches.lock().unwrap_or_else(PoisonError::into_inner).contains(touch)
    }
}
