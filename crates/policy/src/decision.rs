//! Decisions about accesses: allow, ask or deny.

/// The decision of a rule.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, serde::Serialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// The access is allowed.
    #[default]
    Allow,
    /// The access needs approval: Toolpost prompts the user first.
    Ask,
    /// The access is denied.
    Deny,
}

impl Decision {
    /// Returns the word for this decision in policy files: `allow`, `ask` or `deny`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// The decision of the rules about one access, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The decision about the access: allow, ask or deny.
    pub decision: Decision,
    /// The reason for the decision, for the user.
    pub why: String,
    /// The rules that can override the decision.
    pub lifted: DecisionOverride,
}

/// The rules that can override a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecisionOverride {
    /// A rule of the operator can override the decision.
    ByRule,
    /// No rule can override the decision.
    ByNothing,
}
