//! Errors of policy files, and of hosts that the policy denies.

use thiserror::Error;

/// The reason why a host may not be reached.
#[derive(Debug, Clone, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct DeniedHostError(pub(crate) String);

/// The reason why a policy file cannot be used.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PolicyError {
    /// The file is not TOML, has the wrong structure, or has path patterns that are too large together.
    #[error("{file}: {problem}")]
    Shape {
        /// The path of the policy file.
        file: String,
        /// The message of the TOML parser, with the position, or of the pattern compiler.
        problem: String,
    },
    /// A pattern in a rule is invalid.
    #[error("{file}: the pattern `{pattern}` is invalid: {problem}.")]
    Pattern {
        /// The path of the policy file.
        file: String,
        /// The invalid pattern.
        pattern: String,
        /// The reason why the pattern is invalid.
        problem: String,
    },
    /// An example of a rule does not match the rule.
    #[error(
        "{file}: rule {number} (`{why}`) does not match its own example `{example}`; correct the pattern or the example."
    )]
    Example {
        /// The path of the policy file.
        file: String,
        /// The position of the rule in the file, from 1.
        number: usize,
        /// The value of `why` in the rule.
        why: String,
        /// The example that the rule does not match.
        example: String,
    },
    /// The decision of the rules about an example command is not the one under which the file lists the
    /// example.
    #[error(
        "{file}: the example `{example}` is listed under `{listed}`, but the rules decide `{said}`: {why}. Correct the rules or the example."
    )]
    Judged {
        /// The path of the policy file.
        file: String,
        /// The example command.
        example: String,
        /// The decision under which the file lists the example.
        listed: &'static str,
        /// The decision that the rules make about the example.
        said: &'static str,
        /// The reason that the rules give for their decision.
        why: String,
    },
    /// A project's policy file that the user does not trust would drop built-in lists.
    #[error(
        "{file}: the lists of a project cannot drop the built-in lists until you trust the file (`toolpost policy trust`); you can also drop them in your own policy file."
    )]
    Drops {
        /// The path of the policy file.
        file: String,
    },
    /// A rule has no target, a target that does not fit its `touch` key, or `cautious` without `decide = "allow"`.
    #[error("{file}, line {line}: {problem}.")]
    Rule {
        /// The path of the policy file.
        file: String,
        /// The line of the file where the rule begins.
        line: usize,
        /// The reason why the rule is invalid.
        problem: String,
    },
}
