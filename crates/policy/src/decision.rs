//! Decisions about accesses: allow, ask or deny.

/// The decision of a rule.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, serde::Serialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// The touch is allowed.
    #[default]
    Allow,
    /// The user is asked first.
    Ask,
    /// The touch is denied.
    Deny,
}

impl Decision {
    /// Returns the word that policy files use for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// The decision of the rules about one touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The decision.
    pub decision: Decision,
    /// The reason, for a person.
    pub why: String,
    /// The way to change it.
    pub lifted: Lifted,
}

/// The way to change a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifted {
    /// A rule of the operator.
    ByRule,
    /// Nothing: no rule has a say.
    ByNothing,
}
