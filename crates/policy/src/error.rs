//! Errors of policy files.

use thiserror::Error;

/// The reason why a policy file cannot be used.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PolicyError {
    /// The file is not TOML, or has the wrong structure.
    #[error("{file}: {problem}")]
    Shape {
        /// The file.
        file: String,
        /// The parser's message, with the position.
        problem: String,
    },
    /// A pattern is invalid.
    #[error("{file}: the pattern `{pattern}` is wrong: {problem}.")]
    Pattern {
        /// The file.
        file: String,
        /// The pattern.
        pattern: String,
        /// The problem with it.
        problem: String,
    },
    /// An example of a rule does not match the rule.
    #[error(
        "{file}: rule {number} (`{why}`) does not match its own example `{example}`; correct the pattern or the example."
    )]
    Example {
        /// The file.
        file: String,
        /// The number of the rule.
        number: usize,
        /// The reason that the rule carries.
        why: String,
        /// The example.
        example: String,
    },
    /// An example command of the file gets another decision.
    #[error(
        "{file}: the example `{example}` is listed under `{listed}`, but the rules say {said}: {why}. Correct the rules or the example."
    )]
    Judged {
        /// The file.
        file: String,
        /// The example.
        example: String,
        /// The decision in the file.
        listed: &'static str,
        /// The decision of the rules.
        said: &'static str,
        /// The reason of the rules.
        why: String,
    },
    /// A project's file would loosen the built-in rules.
    #[error(
        "{file}: the lists of a project cannot drop the built-in ones until the file is trusted; leave that to the user's own file."
    )]
    Drops {
        /// The file.
        file: String,
    },
    /// A rule has no target, or a target that does not fit its touches.
    #[error("{file}: line {line}: {problem}.")]
    Rule {
        /// The file.
        file: String,
        /// The line where the rule begins.
        line: usize,
        /// The problem with it.
        problem: String,
    },
}
