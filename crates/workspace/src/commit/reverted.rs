//! Outcomes of reverting one step.

/// What became of a step that was to be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reverted {
    /// It had not happened.
    Nothing,
    /// All is as it was.
    Restored,
    /// Somebody changed the place since; the sentence says what is where.
    Left(String),
    /// The system refused, as it may not the next time; the sentence says what is where.
    Refused(String),
}
