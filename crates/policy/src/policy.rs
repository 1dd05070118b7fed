//! The active rules, and the decision about each kind of access.

use crate::{
    access::{
        Access, Touch,
        resource::{EditorUse, RemoteTool},
    },
    decision::{Decision, Judgement, Lifted},
    rule::{Rule, RuleSource},
    withheld::WithheldFinder,
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use toolpost_workspace::WorkspacePath;

/// The active rules.
#[derive(Debug, Clone)]
pub struct Policy {
    pub(crate) rules: Arc<Vec<Rule>>,
    /// Toolpost's own files, which no rule makes writable.
    pub(crate) own: Arc<Vec<PathBuf>>,
    /// Files that no rule makes readable either: the state, with its copies of changed files.
    pub(crate) hidden: Arc<Vec<PathBuf>>,
    /// The kinds of access that are always denied.
    pub(crate) denied: Arc<Vec<Access>>,
    /// The roots, to resolve the paths that commands name.
    pub(crate) roots: Arc<Vec<PathBuf>>,
    /// The user's policy file, which receives permanent approvals.
    pub(crate) learned: Option<Arc<PathBuf>>,
    /// Finds withheld files below the directories that commands search.
    pub(crate) finder: Option<WithheldFinder>,
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
        }
    }

    pub(crate) fn adding(self, further: impl IntoIterator<Item = Rule>) -> Self {
        let mut rules = (*self.rules).clone();
        rules.extend(further);
        Self { rules: Arc::new(rules), finder: self.finder.map(WithheldFinder::renewed), ..self }
    }

    /// Sets the roots, so that paths in commands are judged as the file tools judge them.
    #[must_use]
    pub fn within(self, roots: Vec<PathBuf>) -> Self {
        Self { roots: Arc::new(roots), ..self }
    }

    /// Protects Toolpost's own files and directories (rules, configuration, state) from writes, regardless of the
    /// rules.
    #[must_use]
    pub fn keeping(self, own: Vec<PathBuf>) -> Self {
        Self { own: Arc::new(own), ..self }
    }

    /// Protects directories from reads, regardless of the rules.
    #[must_use]
    pub fn hiding(self, hidden: Vec<PathBuf>) -> Self {
        Self { hidden: Arc::new(hidden), ..self }
    }

    /// Denies every touch of these kinds, regardless of the rules.
    #[must_use]
    pub fn denying(self, denied: &[Access]) -> Self {
        Self { denied: Arc::new(denied.to_vec()), ..self }
    }

    /// Lists the sources of the rules, with the number of rules from each.
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

    /// Lists the names in a root that cannot be written without a prompt; a sandbox protects them from commands.
    #[must_use]
    pub fn kept_names(&self) -> Vec<PathBuf> {
        let named = self.rules.iter().flat_map(Rule::kept_names);
        let asks = |name: &str| {
            self.judge_name(Access::Writes, name, &format!("/{name}")).decision != Decision::Allow
        };
        // A directory is protected if the files in it are.
        let is_kept = |name: &&String| asks(name) || asks(&format!("{name}/x"));
        named.filter(is_kept).map(PathBuf::from).collect()
    }

    /// Lists the names in a root that commands may write, with changes reported.
    #[must_use]
    pub fn reported_names(&self) -> Vec<PathBuf> {
        let kept = self.kept_names();
        let named = self.rules.iter().flat_map(Rule::reported_names).map(PathBuf::from);
        named.filter(|name| !kept.contains(name)).collect()
    }

    /// Returns true if a path may be read without a prompt.
    #[must_use]
    pub fn lets_read(&self, path: &WorkspacePath) -> bool {
        self.judge_path(Access::Reads, path).decision == Decision::Allow
    }

    /// Judges a path in a root.
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
        // A path in a separate read-only root may also be in a workspace root, or in a directory that a rule names:
        // those rules apply, too.
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
        Judgement { decision, why, lifted: Lifted::ByRule }
    }

    /// Judges a tool of an upstream server: the operator permitted its calls by connecting the server.
    pub(crate) fn judge_tool(&self, tool: &RemoteTool) -> Judgement {
        if let Some(denied) = self.denies(Access::Bridges) {
            return denied;
        }
        let (decision, rule) =
            self.find(Access::Bridges, Decision::Allow, |rule| rule.matches_tool(&tool.shown()));
        let why = rule.map_or_else(|| "no rule forbids it".to_owned(), |rule| rule.why.clone());
        Judgement { decision, why, lifted: Lifted::ByRule }
    }

    /// Judges an agent: its calls are judged one by one, so an agent that no rule matches is allowed.
    pub(crate) fn judge_agent(&self, agent: &str) -> Judgement {
        if let Some(denied) = self.denies(Access::Delegates) {
            return denied;
        }
        let (decision, rule) =
            self.find(Access::Delegates, Decision::Allow, |rule| rule.matches_agent(agent));
        let why = rule.map_or_else(|| "no rule forbids it".to_owned(), |rule| rule.why.clone());
        Judgement { decision, why, lifted: Lifted::ByRule }
    }

    /// Judges an editor action: the operator permitted it by attaching the editor, for files that the rules allow.
    pub(crate) fn judge_editor(&self, touch: &Touch, act: EditorUse) -> Judgement {
        if let Some(denied) = self.denies(Access::Editor).or_else(|| self.denies(touch.access())) {
            return denied;
        }
        let (decision, rule) =
            self.find(Access::Editor, Decision::Allow, |rule| rule.matches_act(act.word()));
        let why = rule.map_or_else(|| "no rule forbids it".to_owned(), |rule| rule.why.clone());
        Judgement { decision, why, lifted: Lifted::ByRule }
    }

    /// Finds the last rule that matches and may decide.
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

    /// Returns the decision that overrides the rules for a path.
    pub(crate) fn kept(&self, access: Access, path: &Path) -> Option<Judgement> {
        if let Some(denied) = self.denies(access) {
            return Some(denied);
        }
        let fixed = |why: &str| {
            Some(Judgement { decision: Decision::Deny, why: why.to_owned(), lifted: Lifted::ByNothing })
        };
        if self.hidden.iter().any(|hidden| path.starts_with(hidden)) {
            return fixed("Toolpost keeps its own state there; no rule lets it be touched.");
        }
        if access == Access::Writes && self.own.iter().any(|own| path.starts_with(own)) {
            return fixed("Toolpost itself works with this file; no rule lets it be written.");
        }
        None
    }

    pub(crate) fn denies(&self, access: Access) -> Option<Judgement> {
        let why =
            "Toolpost was started so that no tool does that (the setting `read_only` or `deny`).".to_owned();
        let denied = self.denied.contains(&access);
        denied.then_some(Judgement { decision: Decision::Deny, why, lifted: Lifted::ByNothing })
    }
}
