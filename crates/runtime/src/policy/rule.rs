//! One rule: which touches, of what, which decision, and why.

use super::{Decision, pattern::Pattern};
use globset::GlobSet;
use std::{borrow::Cow, fmt};
use toolpost_engine::{Access, Host, Say};
use toolpost_text::wildcard;

/// Where a rule comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleSource {
    /// Toolpost's own lists.
    BuiltIn,
    /// The operator's file.
    Operator(String),
    /// A file of the project: it can only tighten.
    Project(String),
    /// A file of the project whose content the user has trusted.
    Trusted(String),
}

/// One rule.
#[derive(Debug, Clone)]
pub struct Rule {
    pub(super) accesses: Vec<Access>,
    pub(super) target: Target,
    pub(super) decision: Decision,
    pub(super) why: String,
    /// An allowing rule that overrides no denial, and covers no command that hands code to a program.
    pub(super) cautious: bool,
    pub(super) source: RuleSource,
    /// The line of the file in which it begins.
    pub(super) line: usize,
}

/// What a rule is about.
#[derive(Debug, Clone)]
pub(super) enum Target {
    /// Files, by patterns that are meant from the root on, and by those that begin with a slash.
    Paths {
        relative: GlobSet,
        absolute: GlobSet,
        /// The files and directories that are meant wherever they lie, without anything that stands for more.
        names: Vec<String>,
    },
    Commands(Vec<Pattern>),
    /// Names of hosts; `*.` in front means all below.
    Hosts(Vec<String>),
    /// Names of tools of other servers, as they are published; `*` stands for any part.
    Tools(Vec<String>),
    /// Names of agents; `*` means every one.
    Agents(Vec<String>),
    /// Words for what is done to an editor; `*` means every one.
    Acts(Vec<String>),
}

/// The place of a rule that decided, for whoever wants to change it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Origin {
    /// The file, or what stands for it.
    pub file: String,
    /// The line in it.
    pub line: usize,
    /// The pattern that matched, where it is one of commands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
}

impl Rule {
    /// Gives the names that Toolpost's own lists let be written, and that are reported when a command changes them.
    pub(super) fn reported_names(&self) -> &[String] {
        let is_report = self.source == RuleSource::BuiltIn
            && self.decision == Decision::Allow
            && self.accesses == [Access::Writes];
        match &self.target {
            Target::Paths { names, .. } if is_report => names,
            _ => &[],
        }
    }

    /// Gives the names that the rule keeps from being written; what version control keeps for itself is not among them,
    /// since its own program has to write it.
    pub(super) fn kept_names(&self) -> &[String] {
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

    /// Tells whether a path is meant: as it lies in its root, or as it lies on the disk.
    pub(super) fn matches_path(&self, relative: &str, absolute: &str) -> bool {
        let Target::Paths { relative: inside, absolute: anywhere, .. } = &self.target else { return false };
        let matches =
            |relative: &str, absolute: &str| inside.is_match(relative) || anywhere.is_match(absolute);
        let (plain, whole) = (fold(relative), fold(absolute));
        let folds = matches!(plain, Cow::Owned(_)) || matches!(whole, Cow::Owned(_));
        matches(relative, absolute) || (folds && matches(&plain, &whole))
    }

    pub(super) fn matches_host(&self, host: &Host) -> bool {
        let Target::Hosts(hosts) = &self.target else { return false };
        let say = if self.decision == Decision::Allow { Say::Reach } else { Say::Refuse };
        hosts.iter().any(|pattern| host.is_meant_by(pattern, say))
    }

    /// Tells whether the operator has named this very host in it, by its name or its address.
    pub(super) fn names_host(&self, host: &Host) -> bool {
        let Target::Hosts(hosts) = &self.target else { return false };
        let says =
            self.decision == Decision::Allow && self.may_loosen() && self.source != RuleSource::BuiltIn;
        says && hosts.iter().any(|named| !named.starts_with('*') && host.is_meant_by(named, Say::Reach))
    }

    /// Tells whether a tool of another server is meant, by the name under which it is published.
    pub(super) fn matches_tool(&self, name: &str) -> bool {
        let Target::Tools(patterns) = &self.target else { return false };
        patterns.iter().any(|pattern| wildcard::matches(pattern, name))
    }

    pub(super) fn matches_agent(&self, agent: &str) -> bool {
        let Target::Agents(agents) = &self.target else { return false };
        agents.iter().any(|name| name == "*" || name == agent)
    }

    pub(super) fn matches_act(&self, act: &str) -> bool {
        let Target::Acts(acts) = &self.target else { return false };
        acts.iter().any(|name| name == "*" || name == act)
    }

    /// Gives the hosts that the rule decides about when something is fetched from them, and how.
    pub(super) fn hosts(&self) -> impl Iterator<Item = (&str, Decision)> {
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

    /// Tells whether it may decide more freely than the rules before it.
    pub(super) fn may_loosen(&self) -> bool {
        !matches!(self.source, RuleSource::Project(_))
    }

    /// Says where it stands.
    pub(super) fn origin(&self, pattern: Option<&Pattern>) -> Origin {
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
            Self::Operator(file) | Self::Project(file) | Self::Trusted(file) => out.write_str(file),
        }
    }
}

/// Writes a path as a careless file system might see it: no dots or spaces at a name's end. (Letter case is passed over
/// by the patterns.)
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
