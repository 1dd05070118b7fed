//! What the user has allowed for the rest of a session.

use crate::Touch;
use std::sync::{Mutex, PoisonError};

/// The most touches that are remembered; what is granted after that is asked about again.
const MOST: usize = 1000;

/// What the user has allowed for the rest of a session: these very touches, and nothing that is like them.
#[derive(Debug, Default)]
pub struct Granted(Mutex<Vec<Touch>>);

impl Granted {
    /// Remembers touches.
    pub fn add(&self, touches: impl IntoIterator<Item = Touch>) {
        let mut granted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for touch in touches {
            if granted.len() < MOST && !granted.contains(&touch) {
                granted.push(touch);
            }
        }
    }

    /// Tells whether this very touch was allowed.
    #[must_use]
    pub fn holds(&self, touch: &Touch) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(touch)
    }
}
