//! The permissions of one call, from the rules and from the user's approvals.

use std::sync::Arc;
use toolpost_engine::{Access, AllowedAddresses, Command, Host, MayRead, Permissions, Session, Touch};
use toolpost_policy::{ApprovalRules, Decision, OutsidePaths, Policy};
use toolpost_workspace::WorkspacePath;

/// The permissions of a call whose accesses the rules have decided about.
pub(crate) struct CallPermissions {
    policy: Policy,
    /// The policy with the rules that the user approved for the session; used only for decisions about paths. `None`
    /// if no approved rule is about paths.
    approvals: Option<Policy>,
    session: Arc<Session>,
    /// The accesses that the user approved for this call.
    approved: Arc<Vec<Touch>>,
    /// The permission to query external services, or the reason why it is refused.
    consult: Result<(), String>,
    read: MayRead,
}

impl CallPermissions {
    /// Creates the permissions of a call. `read` is the test for readable paths that all calls share; it
    /// ignores approvals.
    pub(crate) fn new(
        policy: Policy,
        session: Arc<Session>,
        approved: Vec<Touch>,
        consult: Result<(), String>,
        read: &MayRead,
    ) -> Self {
        let approved = Arc::new(approved);
        let rules = session.granted.rules();
        let approvals = policy.with_approved(&rules).filter(|_| ApprovalRules::name_paths(&rules));
        let read: MayRead = if approved.is_empty() && approvals.is_none() {
            // Use the test that other calls use, so that its cached results are valid.
            read.clone()
        } else {
            let (read, approved, approvals) = (read.clone(), approved.clone(), approvals.clone());
            Arc::new(move |path| {
                read(path)
                    || is_approved(&approved, Access::Reads, path)
                    || approvals.as_ref().is_some_and(|rules| allows(rules, Access::Reads, path))
            })
        };
        Self { policy, approvals, session, approved, consult, read }
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
        let rules = self.approvals.as_ref().unwrap_or(&self.policy);
        allows(rules, Access::Writes, path) || is_approved(&self.approved, Access::Writes, path)
    }

    fn reach(&self, host: &Host) -> Result<AllowedAddresses, String> {
        let is_granted = |touch: &Touch| self.approved.contains(touch) || self.session.granted.holds(touch);
        self.policy.reach(host, is_granted).map_err(|error| error.to_string())
    }

    fn outside_paths(&self, command: &Command) -> OutsidePaths {
        self.policy.outside_paths(command)
    }

    fn unmet_network(&self, command: &Command) -> Vec<String> {
        self.policy.unmet_network(command)
    }

    fn may_delegate(&self, agent: &str) -> bool {
        self.policy.judge(&Touch::Delegate(agent.to_owned())).decision == Decision::Allow
    }

    fn may_consult(&self) -> Result<(), String> {
        self.consult.clone()
    }
}

fn allows(rules: &Policy, access: Access, path: &WorkspacePath) -> bool {
    rules.judge_path(access, path).decision == Decision::Allow
}

/// Returns true if the user approved an access of this kind to a path.
fn is_approved(approved: &[Touch], access: Access, path: &WorkspacePath) -> bool {
    approved.iter().any(|touch| touch.access() == access && touch.path() == Some(path))
}
