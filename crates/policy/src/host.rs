//! Decisions about network hosts: those from which commands and tools may fetch, and those to which a
//! redirect may lead.

use crate::{
    access::{Access, Touch, command::Host},
    decision::{Decision, DecisionOverride, Judgement},
    error::DeniedHostError,
    policy::Policy,
    rule::Rule,
};
use toolpost_net::{AllowedAddresses, HostEffect, HostError, Hosts};

impl Policy {
    /// Lists the hosts that the rules let commands reach without a prompt. A host that needs a prompt is
    /// refused, because Toolpost cannot ask the user while a program waits for its connection.
    ///
    /// # Errors
    ///
    /// If a rule names an invalid host.
    pub fn hosts(&self) -> Result<Hosts, HostError> {
        if self.denies(Access::Fetches).is_some() {
            return Ok(Hosts::default());
        }
        let said = self.rules.iter().flat_map(Rule::hosts);
        Hosts::in_order(said.map(|(host, decision)| match decision {
            Decision::Allow => (host, HostEffect::Reach),
            Decision::Ask | Decision::Deny => (host, HostEffect::Refuse),
        }))
    }

    /// Judges a host that a tool would fetch from. A host that is local or private is allowed only by a rule
    /// that names it, never by a prompt.
    pub(crate) fn judge_fetch(&self, host: &Host) -> Judgement {
        let judgement = self.judge_host(host);
        if judgement.decision == Decision::Deny || !host.is_own() || self.is_named(host) {
            return judgement;
        }
        let why =
            "Toolpost reaches a local or private host only if one of the operator's rules names that host."
                .to_owned();
        Judgement { decision: Decision::Deny, why, lifted: DecisionOverride::ByRule }
    }

    /// Judges the host of an external service: the operator permitted it by naming it in the settings, so it
    /// is allowed unless a rule forbids it.
    pub(crate) fn judge_service(&self, host: &Host) -> Judgement {
        if let Some(denied) = self.denies(Access::Fetches) {
            return denied;
        }
        let (decision, rule) = self.find(Access::Fetches, Decision::Allow, |rule| rule.matches_host(host));
        let why = rule.map_or_else(|| "no rule forbids it".to_owned(), |rule| reason(rule, host));
        Judgement { decision, why, lifted: DecisionOverride::ByRule }
    }

    /// Judges a host by the rules about hosts. A host that no rule matches needs approval.
    pub(crate) fn judge_host(&self, host: &Host) -> Judgement {
        if let Some(denied) = self.denies(Access::Fetches) {
            return denied;
        }
        let (decision, rule) = self.deciding(host);
        let why = match rule {
            Some(rule) => reason(rule, host),
            None => "no rule of Toolpost's policy allows this host".to_owned(),
        };
        Judgement { decision, why, lifted: DecisionOverride::ByRule }
    }

    /// Decides whether a redirect to a host may be followed, and which addresses it may reach. No prompt is
    /// possible at that point, so an access that needs approval is refused unless `is_granted` reports that
    /// the user has already approved it.
    ///
    /// # Errors
    ///
    /// If the rules deny the host, or it needs an approval that the user has not given.
    pub fn reach(
        &self,
        host: &Host,
        is_granted: impl Fn(&Touch) -> bool,
    ) -> Result<AllowedAddresses, DeniedHostError> {
        let judgement = self.judge_fetch(host);
        let reach = if self.is_named(host) { AllowedAddresses::Anywhere } else { AllowedAddresses::Public };
        match judgement.decision {
            Decision::Allow => Ok(reach),
            Decision::Ask if is_granted(&Touch::Fetch(host.clone())) => Ok(reach),
            Decision::Ask | Decision::Deny => Err(DeniedHostError(judgement.why)),
        }
    }

    /// Returns true if the rule that decides about a host is from the operator or a trusted project, and allows
    /// exactly this host, without a wildcard.
    fn is_named(&self, host: &Host) -> bool {
        self.deciding(host).1.is_some_and(|rule| rule.names_host(host))
    }

    fn deciding(&self, host: &Host) -> (Decision, Option<&Rule>) {
        self.find(Access::Fetches, Decision::Ask, |rule| rule.matches_host(host))
    }
}

/// Returns the reason for a rule's decision about a host; for a denial, with the rule's pattern and location.
fn reason(rule: &Rule, host: &Host) -> String {
    if rule.decision != Decision::Deny {
        return rule.why.clone();
    }
    let pattern = rule.host_pattern(host).unwrap_or_default();
    let line = if rule.line == 0 { String::new() } else { format!(", line {}", rule.line) };
    format!("the rule for `{pattern}` in Toolpost's policy denies it ({}{line}): {}", rule.source, rule.why)
}
