//! Which hosts may be fetched from, by commands and by tools, and how far they may lead.

use super::{Decision, Judgement, Lifted, Policy, Rule};
use toolpost_engine::{Access, BadHost, Host, Hosts, Reach, Say, Touch};

impl Policy {
    /// Lists the hosts that commands reach without anybody being asked: what is asked about is refused there, since
    /// nobody can be asked while a program waits.
    ///
    /// # Errors
    /// When a rule names a host that is none.
    pub fn hosts(&self) -> Result<Hosts, BadHost> {
        if self.denies(Access::Fetches).is_some() {
            return Ok(Hosts::default());
        }
        let said = self.rules.iter().flat_map(Rule::hosts);
        Hosts::in_order(said.map(|(host, decision)| match decision {
            Decision::Allow => (host, Say::Reach),
            Decision::Ask | Decision::Deny => (host, Say::Refuse),
        }))
    }

    /// Judges a host from which a tool would fetch: what is somebody's own is for a rule to open, and for nobody who is asked.
    pub(super) fn judge_fetch(&self, host: &Host) -> Judgement {
        let judgement = self.judge_host(host);
        if judgement.decision == Decision::Deny || !host.is_own() || self.is_named(host) {
            return judgement;
        }
        let why = "It is no host of the public network, and no rule of the operator names it.".to_owned();
        Judgement { decision: Decision::Deny, why, lifted: Lifted::ByRule }
    }

    /// Judges the host of a service: that the operator named it in the settings is the leave to ask it.
    pub(super) fn judge_service(&self, host: &Host) -> Judgement {
        if let Some(denied) = self.denies(Access::Fetches) {
            return denied;
        }
        let (decision, rule) = self.find(Access::Fetches, Decision::Allow, |rule| rule.matches_host(host));
        let why = rule.map_or_else(|| "no rule forbids it".to_owned(), |rule| rule.why.clone());
        Judgement { decision, why, lifted: Lifted::ByRule }
    }

    /// Judges a host: what no rule allows is asked about.
    pub(super) fn judge_host(&self, host: &Host) -> Judgement {
        if let Some(denied) = self.denies(Access::Fetches) {
            return denied;
        }
        let (decision, rule) = self.deciding(host);
        let why =
            rule.map_or_else(|| "no rule allows to fetch from there".to_owned(), |rule| rule.why.clone());
        Judgement { decision, why, lifted: Lifted::ByRule }
    }

    /// Says how far a host may be reached to which an answer leads: nobody is asked by then.
    ///
    /// # Errors
    /// Why it may not be reached.
    pub(crate) fn reach(&self, host: &Host, is_granted: impl Fn(&Touch) -> bool) -> Result<Reach, String> {
        let judgement = self.judge_fetch(host);
        let reach = if self.is_named(host) { Reach::Anywhere } else { Reach::Public };
        match judgement.decision {
            Decision::Allow => Ok(reach),
            Decision::Ask if is_granted(&Touch::Fetch(host.clone())) => Ok(reach),
            Decision::Ask | Decision::Deny => Err(judgement.why),
        }
    }

    /// Tells whether the rule that decides about a host is the operator's, and names it.
    fn is_named(&self, host: &Host) -> bool {
        self.deciding(host).1.is_some_and(|rule| rule.names_host(host))
    }

    fn deciding(&self, host: &Host) -> (Decision, Option<&Rule>) {
        self.find(Access::Fetches, Decision::Ask, |rule| rule.matches_host(host))
    }
}
