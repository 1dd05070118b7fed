//! Permissions for accesses that become known only while a call runs.

use crate::access::command::{Command, Host};
use std::sync::Arc;
use toolpost_net::AllowedAddresses;
use toolpost_policy::OutsidePaths;
use toolpost_workspace::WorkspacePath;

/// A function that returns true for files that may be read without a prompt. Two functions with the same
/// `Arc` pointer stand for the same rules, so caches use the pointer as their key.
pub type MayRead = Arc<dyn Fn(&WorkspacePath) -> bool + Send + Sync>;

/// The permissions of one call for accesses that become known only while it runs. No prompt is possible at
/// that time.
///
/// By default, every method denies access or returns an empty list, so an implementation grants access only in the
/// methods that it overrides.
pub trait Permissions: Send + Sync {
    /// Returns a function that returns true for files that the call may read.
    fn read_filter(&self) -> MayRead {
        Arc::new(|_| false)
    }

    /// Returns true if the call may read a file that it found while it runs.
    fn may_read(&self, path: &WorkspacePath) -> bool {
        self.read_filter()(path)
    }

    /// Returns true if the call may write a file that the request does not name, for example a file in a
    /// directory that is moved or deleted.
    fn may_write(&self, path: &WorkspacePath) -> bool {
        let _ = path;
        false
    }

    /// Returns which addresses of a host the call may contact: only public ones, or all. The host may be one to which a
    /// server redirects.
    ///
    /// # Errors
    /// The reason why the call may not contact the host.
    fn reach(&self, host: &Host) -> Result<AllowedAddresses, String> {
        let _ = host;
        Err(NOT_GRANTED.to_owned())
    }

    /// Lists the paths in a command that are outside the roots.
    fn outside_paths(&self, command: &Command) -> OutsidePaths {
        let _ = command;
        OutsidePaths::default()
    }

    /// Describes the network access that a command needs and no rule allows, for a command that failed or ran out of
    /// time.
    fn unmet_network(&self, command: &Command) -> Vec<String> {
        let _ = command;
        Vec::new()
    }

    /// Returns true if work may be delegated to the agent with this name.
    fn may_delegate(&self, agent: &str) -> bool {
        let _ = agent;
        false
    }

    /// Checks that the configured remote search service may be queried in addition to the local index.
    ///
    /// # Errors
    /// The reason why the service may not be queried.
    fn may_consult(&self) -> Result<(), String> {
        Err(NOT_GRANTED.to_owned())
    }
}

/// The reason for a refusal if no policy granted the permission.
const NOT_GRANTED: &str = "no access policy allows this access";

/// Denies every access that the request of a call does not name.
#[derive(Debug, Clone, Copy)]
pub struct NoPermissions;

impl Permissions for NoPermissions {}

/// Allows reading the files for which the function returns true, and nothing else.
#[cfg(test)]
pub(crate) struct ReadPermission(pub(crate) MayRead);

#[cfg(test)]
impl Permissions for ReadPermission {
    fn read_filter(&self) -> MayRead {
        self.0.clone()
    }
}
