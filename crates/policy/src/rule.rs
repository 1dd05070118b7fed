//! One access rule: the kinds of access, their target, the decision, and the reason.

use crate::{
    access::{Access, command::Host},
    decision::Decision,
    path_patterns::{PathPatterns, UncompiledPatterns},
    pattern::Pattern,
};
use std::{borrow::Cow, fmt};
use toolpost_net::HostEffect;
use toolpost_text::wildcard;

/// The source of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleSource {
    /// The rules that are built into Toolpost.
    BuiltIn,
    /// A policy file of the operator, by its path.
    Operator(String),
    /// A policy file of a project, by its path. It can only make decisions stricter.
    Project(String),
    /// A policy file of a project that has changed since the user trusted it. It can only make decisions
    /// stricter.
    Lapsed(String),
    /// A policy file of a project with content that the user has trusted.
    Trusted(String),
}

/// One access rule of the policy.
#[derive(Debug, Clone)]
pub struct Rule {
    pub(crate) accesses: Vec<Access>,
    pub(crate) target: Target,
    pub(crate) decision: Decision,
    pub(crate) why: String,
    /// True for a rule that an approval wrote: it allows, but overrides no denial. If its pattern allows further
    /// arguments, it does not cover commands that may pass code to a program.
    pub(crate) cautious: bool,
    pub(crate) source: RuleSource,
    /// The line of the policy file where the rule begins, from 1; 0 for a rule without a line.
    pub(crate) line: usize,
}

/// The accesses to which a rule applies.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// Files, by path patterns: relative to a root, and absolute.
    Paths {
        relative: PathPatterns,
        absolute: PathPatterns,
        /// The names by which the patterns match files and directories at any depth; a name may contain `*`.
        names: Vec<String>,
    },
    Commands(Vec<Pattern>),
    /// Host patterns; a leading `*.` matches all subdomains.
    Hosts(Vec<String>),
    /// Patterns of the published names of upstream tools; `*` matches any part.
    Tools(Vec<String>),
    /// Names of agents; `*` matches every agent.
    Agents(Vec<String>),
    /// Names of editor actions; `*` matches every action.
    Acts(Vec<String>),
}

/// The location of the rule that decided about an access, for a user who wants to change it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Origin {
    /// The path of the policy file, or a label for built-in rules.
    pub file: String,
    /// The line of the file where the rule begins, from 1; 0 for a rule without a line.
    pub line: usize,
    /// The command pattern that matched; `None` for a rule about something else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
}

impl Rule {
    /// Returns the path names of a built-in rule that lets commands write to the paths, on condition that Toolpost
    /// reports the changes. Empty for other rules.
    pub(crate) fn reported_names(&self) -> &[String] {
        let is_report = self.source == RuleSource::BuiltIn
            && self.decision == Decision::Allow
            && self.accesses == [Access::Writes];
        match &self.target {
            Target::Paths { names, .. } if is_report => names,
            _ => &[],
        }
    }

    /// Returns the path names that the rule protects from writes. Built-in denials are left out, because they
    /// name files of version control, which `git` itself must write.
    pub(crate) fn protected_names(&self) -> &[String] {
        let keeps = match self.decision {
            Decision::Allow => false,
            Decision::Ask => true,
            Decision::Deny => self.source != RuleSource::BuiltIn,
        };
        match &self.target {
            Target::Paths { names, .. } if keeps && self.accesses == [Access::Writes] => names,
            Target::Paths { .. }
            | Target::Commands(_)
            | Target::Hosts(_)
            | Target::Tools(_)
            | Target::Agents(_)
            | Target::Acts(_) => &[],
        }
    }

    /// Returns true if the rule matches a path, by its part below the root or by the absolute path.
    pub(crate) fn matches_path(&self, relative: &str, absolute: &str) -> bool {
        let Target::Paths { relative: inside, absolute: anywhere, .. } = &self.target else { return false };
        let allows = self.decision == Decision::Allow;
        let uncompiled = if allows { UncompiledPatterns::Miss } else { UncompiledPatterns::Match };
        let matches = |relative: &str, absolute: &str| {
            inside.is_match(relative, uncompiled) || anywhere.is_match(absolute, uncompiled)
        };
        let (plain, whole) = (fold(relative), fold(absolute));
        let folds = matches!(plain, Cow::Owned(_)) || matches!(whole, Cow::Owned(_));
        matches(relative, absolute) || (folds && matches(&plain, &whole))
    }

    pub(crate) fn matches_host(&self, host: &Host) -> bool {
        self.host_pattern(host).is_some()
    }

    /// Returns the host pattern of the rule that matches a host; `None` if no pattern matches.
    pub(crate) fn host_pattern(&self, host: &Host) -> Option<&str> {
        let Target::Hosts(hosts) = &self.target else { return None };
        let say = if self.decision == Decision::Allow { HostEffect::Reach } else { HostEffect::Refuse };
        hosts.iter().find(|pattern| host.matches(pattern, say)).map(String::as_str)
    }

    /// Returns true if the rule is from the operator or a trusted project, and allows this exact host, by its name or
    /// its address.
    pub(crate) fn names_host(&self, host: &Host) -> bool {
        let Target::Hosts(hosts) = &self.target else { return false };
        let says =
            self.decision == Decision::Allow && self.may_loosen() && self.source != RuleSource::BuiltIn;
        says && hosts.iter().any(|named| !named.starts_with('*') && host.matches(named, HostEffect::Reach))
    }

    /// Returns true if the rule matches an upstream tool, by its published name.
    pub(crate) fn matches_tool(&self, name: &str) -> bool {
        let Target::Tools(patterns) = &self.target else { return false };
        patterns.iter().any(|pattern| wildcard::matches(pattern, name))
    }

    pub(crate) fn matches_agent(&self, agent: &str) -> bool {
        let Target::Agents(agents) = &self.target else { return false };
        agents.iter().any(|name| name == "*" || name == agent)
    }

    pub(crate) fn matches_act(&self, act: &str) -> bool {
        let Target::Acts(acts) = &self.target else { return false };
        acts.iter().any(|name| name == "*" || name == act)
    }

    /// Returns the host patterns of the rule, each with the rule's decision. Empty if the rule is not about
    /// hosts, or would allow hosts but may not loosen decisions.
    pub(crate) fn hosts(&self) -> impl Iterator<Item = (&str, Decision)> {
        let hosts = match &self.target {
            Target::Hosts(hosts) if self.may_loosen() || self.decision != Decision::Allow => hosts.as_slice(),
            Target::Hosts(_)
            | Target::Paths { .. }
            | Target::Commands(_)
            | Target::Tools(_)
            | Target::Agents(_)
            | Target::Acts(_) => &[],
        };
        hosts.iter().map(|host| (host.as_str(), self.decision))
    }

    /// Returns true if the rule may override earlier rules with a looser decision.
    pub(crate) fn may_loosen(&self) -> bool {
        !matches!(self.source, RuleSource::Project(_) | RuleSource::Lapsed(_))
    }

    /// Returns the location of the rule, for a user who wants to change it.
    pub(crate) fn origin(&self, pattern: Option<&Pattern>) -> Origin {
        Origin {
            file: self.source.to_string(),
            line: self.line,
            pattern: pattern.map(|pattern| pattern.text.clone()),
        }
    }
}

impl fmt::Display for RuleSource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => out.write_str("the built-in rules"),
            Self::Operator(file) | Self::Project(file) | Self::Lapsed(file) | Self::Trusted(file) => {
                out.write_str(file)
            }
        }
    }
}

/// Normalises a path as a lenient file system might: without dots or spaces at the end of each name. (The
/// patterns ignore letter case.)
fn fold(path: &str) -> Cow<'_, str> {
    if !path.split('/').any(|name| name.ends_with(['.', ' '])) {
        return Cow::Borrowed(path);
    }
    let names = path.split('/').map(|name| {
        let cut = name.trim_end_matches(['.', ' ']);
        if cut.is_empty() { name } else { cut }
    });
    Cow::Owned(names.collect::<Vec<_>>().join("/"))
}
