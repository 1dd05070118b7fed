//! The networks of a server's sessions.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::sandbox::{Network, SessionNetwork};
use crate::session::SessionKey;

type NetworkTable = HashMap<(SessionKey, Network), Arc<SessionNetwork>>;

/// The networks of a server's sessions. Commands with a proxy and commands without one do not share a network.
#[derive(Debug, Default)]
pub(crate) struct Networks {
    made: Mutex<NetworkTable>,
}

impl Networks {
    /// Returns the network of a session, and makes it for its first command; nothing if that fails. A failure is not remembered:
    /// the next command tries again.
    pub(crate) fn of(&self, session: &SessionKey, kind: Network) -> Option<Arc<SessionNetwork>> {
        match self.lock().entry((session.clone(), kind)) {
            Entry::Occupied(made) => Some(Arc::clone(made.get())),
            Entry::Vacant(place) => Some(Arc::clone(place.insert(Arc::new(SessionNetwork::new(kind).ok()?)))),
        }
    }

    /// Returns the network of a session that was made before.
    pub(crate) fn find(&self, session: &SessionKey, kind: Network) -> Option<Arc<SessionNetwork>> {
        self.lock().get(&(session.clone(), kind)).cloned()
    }

    /// Forgets the networks of a session.
    pub(crate) fn forget(&self, session: &SessionKey) {
        self.lock().retain(|(other, _), _| other != session);
    }

    /// Forgets all.
    pub(crate) fn forget_all(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, NetworkTable> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
