//! The active rules, and the decision about each kind of access.

use crate::{
    access::{
        Access, Touch,
        resource::{EditorUse, RemoteTool},
    },
    decision::{Decision, DecisionOverride, Judgement},
    reach::{CommandReach, UnreachableReason},
    rule::{Rule, RuleSource},
    withheld::WithheldFinder,
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use toolpost_workspace::WorkspacePath;

/// The access policy: the active rules, and the restrictions that no rule can lift.
#[derive(Debug, Clone)]
pub struct Policy {
    pub(crate) rules: Arc<Vec<Rule>>,
    /// Toolpost's rules, configuration and state, which no rule makes writable.
    pub(crate) own: Arc<Vec<PathBuf>>,
    /// Toolpost's state directory, with its copies of changed files. No rule makes it readable.
    pub(crate) hidden: Arc<Vec<PathBuf>>,
    /// The kinds of access that are always denied.
    pub(crate) denied: Arc<Vec<Access>>,
    /// The workspace roots, with which the paths that commands name are resolved.
    pub(crate) roots: Arc<Vec<PathBuf>>,
    /// The user's policy file, which receives permanent approvals; `None` if approvals are not stored permanently.
    pub(crate) learned: Option<Arc<PathBuf>>,
    /// The finder of withheld files (those that the rules deny or ask about) below the directories that commands
    /// search; `None` without a workspace, and then no withheld files are found.
    pub(crate) finder: Option<WithheldFinder>,
    /// The test for paths that the sandbox of commands withholds; `None` if none was set.
    pub(crate) reach: Option<CommandReach>,
}

impl Policy {
    pub(crate) fn of(rules: Vec<Rule>) -> Self {
        Self {
            rules: Arc::new(rules),
            own: Arc::default(),
            hidden: Arc::default(),
            denied: Arc::default(),
            roots: Arc::default(),
            learned: None,
            finder: None,
            reach: None,
        }
    }

    pub(crate) fn adding(self, further: impl IntoIterator<Item = Rule>) -> Self {
        let mut rules = Arc::unwrap_or_clone(self.rules);
        rules.extend(further);
        Self { rules: Arc::new(rules), finder: self.finder.map(WithheldFinder::renewed), ..self }
    }

    /// Sets the workspace roots, so that paths in commands are judged like the paths of file tools.
    #[must_use]
    pub fn within(self, roots: Vec<PathBuf>) -> Self {
        Self { roots: Arc::new(roots), ..self }
    }

    /// Protects Toolpost's own files and directories (rules, configuration, state) from writes, regardless of
    /// the rules.
    #[must_use]
    pub fn protecting(self, own: Vec<PathBuf>) -> Self {
        Self { own: Arc::new(own), ..self }
    }

    /// Protects directories from reads and writes, regardless of the rules.
    #[must_use]
    pub fn hiding(self, hidden: Vec<PathBuf>) -> Self {
        Self { hidden: Arc::new(hidden), ..self }
    }

    /// Denies every access of the kinds `denied`, regardless of the rules.
    #[must_use]
    pub fn denying(self, denied: &[Access]) -> Self {
        Self { denied: Arc::new(denied.to_vec()), ..self }
    }

    /// Sets the test for paths that the sandbox withholds from commands, so that a prompt offers only
    /// accesses that an approval makes possible. Without a test, an approval makes every access possible.
    #[must_use]
    pub fn confining(
        self,
        prevents: impl Fn(Access, &Path) -> Option<UnreachableReason> + Send + Sync + 'static,
    ) -> Self {
        Self { reach: Some(CommandReach::new(prevents)), ..self }
    }

    /// Lists the sources of the rules (built in, or files), with the number of rules from each.
    #[must_use]
    pub fn sources(&self) -> Vec<(RuleSource, usize)> {
        let mut sources: Vec<(RuleSource, usize)> = Vec::new();
        for rule in self.rules.iter() {
            match sources.iter_mut().find(|(source, _)| *source == rule.source) {
                Some((_, count)) => *count += 1,
                None => sources.push((rule.source.clone(), 1)),
            }
        }
        sources
    }

    /// Lists the names in a root whose writes need approval or are denied, except those that the built-in rules deny.
    /// A sandbox protects these paths from commands.
    #[must_use]
    pub fn protected_names(&self) -> Vec<PathBuf> {
        let named = self.rules.iter().flat_map(Rule::protected_names);
        let asks = |name: &str| {
            self.judge_name(Access::Writes, name, &format!("/{name}")).decision != Decision::Allow
        };
        // A directory counts as protected if the files in it are.
        let is_kept = |name: &&String| asks(name) || asks(&format!("{name}/x"));
        named.filter(is_kept).map(PathBuf::from).collect()
    }

    /// Lists the names in a root that commands may write, but whose changes Toolpost reports.
    #[must_use]
    pub fn reported_names(&self) -> Vec<PathBuf> {
        let kept = self.protected_names();
        let named = self.rules.iter().flat_map(Rule::reported_names).map(PathBuf::from);
        named.filter(|name| !kept.contains(name)).collect()
    }

    /// Returns true if a path may be read without a prompt.
    #[must_use]
    pub fn lets_read(&self, path: &WorkspacePath) -> bool {
        self.judge_path(Access::Reads, path).decision == Decision::Allow
    }

    /// Decides about an access to a path in a root.
    #[must_use]
    pub fn judge_path(&self, access: Access, path: &WorkspacePath) -> Judgement {
        if let Some(kept) = self.kept(access, path.raw()) {
            return kept;
        }
        let absolute = path.raw().to_string_lossy();
        let own = self.judge_name(access, &path.relative().to_string_lossy(), &absolute);
        if path.root().label().is_none() {
            return own;
        }
        // A path in an external root may also be in a workspace root, or in a directory that a rule names by
        // its absolute path. Those rules apply, too.
        let above = [Path::new("/")];
        let above = above.into_iter().chain(self.roots.iter().map(PathBuf::as_path));
        let inside = above.filter_map(|root| path.raw().strip_prefix(root).ok());
        let inside = inside.map(|relative| self.judge_name(access, &relative.to_string_lossy(), &absolute));
        inside.fold(own, |all, other| if other.decision > all.decision { other } else { all })
    }

    pub(crate) fn judge_name(&self, access: Access, relative: &str, absolute: &str) -> Judgement {
        let (decision, rule) =
            self.find(access, Decision::Allow, |rule| rule.matches_path(relative, absolute));
        let why = rule.map_or_else(|| "no rule forbids it".to_owned(), |rule| rule.why.clone());
        Judgement { decision, why, lifted: DecisionOverride::ByRule }
    }

    /// Decides about a call of an upstream server's tool. The operator permitted these calls by connecting
    /// the server, so a tool that no rule matches is allowed.
    pub(crate) fn judge_tool(&self, tool: &RemoteTool) -> Judgement {
        if let Some(denied) = self.denies(Access::Bridges) {
            return denied;
        }
        let (decision, rule) =
            self.find(Access::Bridges, Decision::Allow, |rule| rule.matches_tool(&tool.shown()));
        let why = rule.map_or_else(|| "no rule forbids it".to_owned(), |rule| rule.why.clone());
        Judgement { decision, why, lifted: DecisionOverride::ByRule }
    }

    /// Decides about delegating to an agent. The agent's calls are judged one by one, so an agent that no
    /// rule matches is allowed.
    pub(crate) fn judge_agent(&self, agent: &str) -> Judgement {
        if let Some(denied) = self.denies(Access::Delegates) {
            return denied;
        }
        let (decision, rule) =
            self.find(Access::Delegates, Decision::Allow, |rule| rule.matches_agent(agent));
        let why = rule.map_or_else(|| "no rule forbids it".to_owned(), |rule| rule.why.clone());
        Judgement { decision, why, lifted: DecisionOverride::ByRule }
    }

    /// Decides about an editor action. The operator permitted it by attaching the editor, so an action that
    /// no rule matches is allowed.
    pub(crate) fn judge_editor(&self, touch: &Touch, act: EditorUse) -> Judgement {
        if let Some(denied) = self.denies(Access::Editor).or_else(|| self.denies(touch.access())) {
            return denied;
        }
        let (decision, rule) =
            self.find(Access::Editor, Decision::Allow, |rule| rule.matches_act(act.word()));
        let why = rule.map_or_else(|| "no rule forbids it".to_owned(), |rule| rule.why.clone());
        Judgement { decision, why, lifted: DecisionOverride::ByRule }
    }

    /// Applies the matching rules in order, starting from the decision `first`. Returns the final decision and the
    /// rule that made it. A rule that is looser than the decision so far takes effect only if its source may
    /// loosen decisions, and a cautious rule never overrides a denial.
    pub(crate) fn find(
        &self,
        access: Access,
        first: Decision,
        matches: impl Fn(&Rule) -> bool,
    ) -> (Decision, Option<&Rule>) {
        let mut found = (first, None);
        for rule in self.rules.iter().filter(|rule| rule.accesses.contains(&access)) {
            let loosens = rule.may_loosen() && !(rule.cautious && found.0 == Decision::Deny);
            if (rule.decision >= found.0 || loosens) && matches(rule) {
                found = (rule.decision, Some(rule));
            }
        }
        found
    }

    /// Returns the denial of an access to a path, if no rule can lift it; `None` if the rules decide about
    /// the access.
    pub(crate) fn kept(&self, access: Access, path: &Path) -> Option<Judgement> {
        if let Some(denied) = self.denies(access) {
            return Some(denied);
        }
        let fixed = |why: &str| {
            Some(Judgement {
                decision: Decision::Deny,
                why: why.to_owned(),
                lifted: DecisionOverride::ByNothing,
            })
        };
        if self.hidden.iter().any(|hidden| path.starts_with(hidden)) {
            return fixed("Toolpost keeps its state in this directory; no rule can allow access to it.");
        }
        if access == Access::Writes && self.own.iter().any(|own| path.starts_with(own)) {
            return fixed("Toolpost uses this path itself; no rule can allow writing to it.");
        }
        None
    }

    pub(crate) fn denies(&self, access: Access) -> Option<Judgement> {
        let why = "The setting `read_only` or `deny` forbids this access; no rule can allow it.".to_owned();
        let denied = self.denied.contains(&access);
        denied.then_some(Judgement { decision: Decision::Deny, why, lifted: DecisionOverride::ByNothing })
    }
}
