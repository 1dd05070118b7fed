//! Permissions of a call beyond the accesses that were decided before it ran.

use crate::access::command::Host;
use std::sync::Arc;
use toolpost_net::Reach;
use toolpost_workspace::WorkspacePath;

/// A test for files that may be read without a prompt. Caches recognise it by its identity.
pub type MayRead = Arc<dyn Fn(&WorkspacePath) -> bool + Send + Sync>;

/// The permissions of one call, for accesses that it finds while it runs; no prompt is possible by then.
///
/// Every method denies by default, so an implementation grants only the access that it overrides.
pub trait Permissions: Send + Sync {
    /// Returns the test for files that may be read.
    fn read_filter(&self) -> MayRead {
        Arc::new(|_| false)
    }

    /// Returns true if a file that the call finds may be read.
    fn may_read(&self, path: &WorkspacePath) -> bool {
        self.read_filter()(path)
    }

    /// Returns true if a file inside a directory that the call handles as a whole may be written.
    fn may_write(&self, path: &WorkspacePath) -> bool {
        let _ = path;
        false
    }

    /// Returns how far a host may be reached that an answer leads to.
    ///
    /// # Errors
    /// The reason why it may not be reached.
    fn reach(&self, host: &Host) -> Result<Reach, String> {
        let _ = host;
        Err(NOT_GRANTED.to_owned())
    }

    /// Returns true if work may be delegated to the agent with this name.
    fn may_delegate(&self, agent: &str) -> bool {
        let _ = agent;
        false
    }

    /// Checks that an external service may be queried in addition to local data.
    ///
    /// # Errors
    /// The reason why it may not be queried.
    fn may_consult(&self) -> Result<(), String> {
        Err(NOT_GRANTED.to_owned())
    }
}

/// The reason of a refusal if no policy granted the permission.
const NOT_GRANTED: &str = "no policy has allowed it for this call";

/// The permissions of a call that may do nothing beyond its own accesses.
#[derive(Debug, Clone, Copy)]
pub struct NoPermissions;

impl Permissions for NoPermissions {}

/// The permission to read the files that a test allows, and nothing more.
#[cfg(test)]
pub(crate) struct ReadPermission(pub(crate) MayRead);

#[cfg(test)]
impl Permissions for ReadPermission {
    fn read_filter(&self) -> MayRead {
        self.0.clone()
    }
}
