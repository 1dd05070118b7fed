//! The permissions of a call, from the rules and from the user's approvals.

use std::sync::Arc;
use toolpost_engine::{Access, Host, MayRead, Permissions, Reach, Session, Touch};
use toolpost_policy::{Decision, Policy};
use toolpost_workspace::WorkspacePath;

/// The permissions of a call whose accesses the rules have decided about.
pub(crate) struct CallPermissions {
    policy: Policy,
    session: Arc<Session>,
    /// The accesses of this call that the user approved.
    approved: Arc<Vec<Touch>>,
    /// The permission to query external services, or the reason of its refusal.
    consult: Result<(), String>,
    read: MayRead,
}

impl CallPermissions {
    /// Creates the permissions of a call; `read` is the test that all calls share, without approvals.
    pub(crate) fn new(
        policy: Policy,
        session: Arc<Session>,
        approved: Vec<Touch>,
        consult: Result<(), String>,
        read: &MayRead,
    ) -> Self {
        let approved = Arc::new(approved);
        let read: MayRead = if approved.is_empty() {
            // The same test as for other calls, so that what was cached for it holds.
            read.clone()
        } else {
            let (read, approved) = (read.clone(), approved.clone());
            Arc::new(move |path| read(path) || is_approved(&approved, Access::Reads, path))
        };
        Self { policy, session, approved, consult, read }
    }
}

impl Permissions for CallPermissions {
    fn read_filter(&self) -> MayRead {
        self.read.clone()
    }

    fn may_read(&self, path: &WorkspacePath) -> bool {
        (self.read)(path)
    }

    fn may_write(&self, path: &WorkspacePath) -> bool {
        self.policy.judge_path(Access::Writes, path).decision == Decision::Allow
            || is_approved(&self.approved, Access::Writes, path)
    }

    fn reach(&self, host: &Host) -> Result<Reach, String> {
        self.policy.reach(host, |touch| self.approved.contains(touch) || self.session.granted.holds(touch))
    }

    fn may_delegate(&self, agent: &str) -> bool {
        self.policy.judge(&Touch::Delegate(agent.to_owned())).decision == Decision::Allow
    }

    fn may_consult(&self) -> Result<(), String> {
        self.consult.clone()
    }
}

/// Returns true if the user approved access to a path.
fn is_approved(approved: &[Touch], access: Access, path: &WorkspacePath) -> bool {
    approved.iter().any(|touch| touch.access() == access && touch.path() == Some(path))
}
