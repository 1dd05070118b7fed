//! The access policy: accesses that a call would make, and the rules that allow, ask about or deny each of
//! them.
//!
//! A call lists its accesses as [`Touch`] values. [`Policy::judge`] decides about each: the built-in rules
//! come first, then the operator's files, then the project's, and the last rule that matches wins. A
//! project's file can only make a decision stricter until the user trusts it. Shell commands are parsed by
//! `toolpost-shell` and judged by every program, file and host in them; a part that cannot be parsed is never
//! allowed without asking.
//!
//! ```
//! use toolpost_policy::{Access, Decision, Host, Policy, RuleSource, Touch};
//!
//! let rules = r#"
//! [[rule]]
//! touch = ["fetch"]
//! hosts = ["docs.rs"]
//! decide = "allow"
//! "#;
//! let policy = Policy::built_in()?.with(rules, &RuleSource::Operator("policy.toml".to_owned()))?;
//! assert_eq!(policy.judge(&Touch::Fetch(Host::new("docs.rs"))).decision, Decision::Allow);
//! assert_eq!(policy.judge(&Touch::Fetch(Host::new("example.com"))).decision, Decision::Ask);
//!
//! // An access that the operator denies is denied, whatever the rules say.
//! let policy = policy.denying(&[Access::Fetches]);
//! assert_eq!(policy.judge(&Touch::Fetch(Host::new("docs.rs"))).decision, Decision::Deny);
//! # Ok::<(), toolpost_policy::PolicyError>(())
//! ```
//!
//! The crate accesses the file system for two purposes: it lists directories and git's index, to find files that a
//! command would read and that the rules withhold, and it appends permanent approvals to the user's policy file. It
//! knows no tool, no dialect and no protocol.

pub mod access;
mod changed_rules;
mod command;
mod decision;
mod display;
mod error;
mod examples;
mod file;
mod general;
mod git_index;
mod host;
mod judge;
mod learn;
mod lists;
mod load;
mod network;
mod path_patterns;
mod pathspec;
mod pattern;
mod place;
mod policy;
mod reach;
mod rule;
mod search;
#[cfg(test)]
mod tests;
mod wildcard;
mod withheld;

pub use access::{
    Access, Extent, Touch,
    command::{Approval, Command, Host, Line},
    resource::{EditorUse, RemoteTool},
};
pub use command::{Approvable, CommandExplanation, FurtherWords, JudgedSegment, JudgedTouch, UnjudgedPart};
pub use decision::{Decision, DecisionOverride, Judgement};
pub use display::{Display, does, verb};
pub use error::{DeniedHostError, PolicyError};
pub use learn::{ApprovalRules, LearnError, literal_pattern};
pub use policy::Policy;
pub use reach::{OutsidePaths, UnreachableReason};
pub use rule::{Origin, Rule, RuleSource};
