//! The network namespaces that the commands of each session share.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use toolpost_sandbox::{Network, SessionNetwork, limit_of};

use crate::error::StartError;
use crate::session::SessionKey;

type NetworkTable = HashMap<(SessionKey, Network), Arc<SessionNetwork>>;

/// The network namespaces of the server's sessions. Commands with a proxy and commands without one do not
/// share a network.
#[derive(Debug, Default)]
pub(crate) struct Networks {
    made: Mutex<NetworkTable>,
}

impl Networks {
    /// Returns the network that the commands of a session share, and creates it for the first command; `None`
    /// if the system cannot create it, for example because it does not allow network namespaces. A failure is
    /// not cached: the next command tries again.
    ///
    /// # Errors
    ///
    /// If a system limit was reached, which may be temporary.
    pub(crate) fn of(
        &self,
        session: &SessionKey,
        kind: Network,
    ) -> Result<Option<Arc<SessionNetwork>>, StartError> {
        match self.lock().entry((session.clone(), kind)) {
            Entry::Occupied(made) => Ok(Some(Arc::clone(made.get()))),
            Entry::Vacant(place) => match SessionNetwork::new(kind) {
                Ok(made) => Ok(Some(Arc::clone(place.insert(Arc::new(made))))),
                Err(fault) if limit_of(&fault).is_some() => {
                    Err(StartError::Missing { what: "the session's network", fault })
                }
                Err(_) => Ok(None),
            },
        }
    }

    /// Returns the network that the commands of a session share; `None` if none was created.
    pub(crate) fn find(&self, session: &SessionKey, kind: Network) -> Option<Arc<SessionNetwork>> {
        self.lock().get(&(session.clone(), kind)).cloned()
    }

    /// Removes the networks of a session from the table.
    pub(crate) fn forget(&self, session: &SessionKey) {
        self.lock().retain(|(other, _), _| other != session);
    }

    /// Removes the networks of all sessions from the table.
    pub(crate) fn forget_all(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, NetworkTable> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
