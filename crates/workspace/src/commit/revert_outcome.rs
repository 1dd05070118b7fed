//! Outcomes of reverting one step.

/// Outcome of reverting one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RevertOutcome {
    /// The step had not happened.
    Nothing,
    /// The former state is restored.
    Restored,
    /// Another process changed the path since; the text describes the state.
    Left(String),
    /// A system error, which may not recur; the text describes the state.
    Refused(String),
}
