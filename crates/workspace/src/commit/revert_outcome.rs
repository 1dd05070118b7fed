//! Outcomes of reverting one step of a commit.

/// Outcome of reverting one step of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RevertOutcome {
    /// There was nothing to revert, for example because the step had not been executed or was already reverted.
    Nothing,
    /// The state before the step is restored.
    Restored,
    /// Another process has changed the path since, so the path was left unchanged; the text describes its state.
    Left(String),
    /// A system error prevented the revert, and a later attempt may succeed; the text describes the state.
    Refused(String),
}
