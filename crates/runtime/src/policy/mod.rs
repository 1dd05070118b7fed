//! The policy: rules that allow, ask about, or deny touches.

mod colon;
mod command;
mod defaults;
mod examples;
mod file;
mod general;
mod host;
mod lapsed;
mod learn;
mod network;
mod pattern;
mod place;
mod rule;
mod shown;
mod tree;

use colon::Lists;
use rule::Target;
use std::{path::PathBuf, sync::Arc};
use toolpost_engine::{Access, Approval, Command, EditorUse, RemoteTool, Touch};
use toolpost_workspace::WorkspacePath;

pub use command::{Approvable, Explained, FurtherWords, JudgedSegment, JudgedTouch, Uncertain};
pub use file::PolicyError;
pub use learn::LearnError;
pub(crate) use learn::Lesson;
pub use rule::{Origin, Rule, RuleSource};
pub(crate) use shown::{does, verb};

/// The decision of a rule.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, serde::Serialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// The touch is allowed.
    #[default]
    Allow,
    /// The user is asked first.
    Ask,
    /// The touch is denied.
    Deny,
}

impl Decision {
    /// Returns the word that policy files use for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// The decision of the rules about one touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Judgement {
    pub(crate) decision: Decision,
    pub(crate) why: String,
    pub(crate) lifted: Lifted,
}

/// The way to change a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lifted {
    ByRule,
    ByNothing,
}

/// The active rules.
#[derive(Debug, Clone)]
pub struct Policy {
    rules: Arc<Vec<Rule>>,
    /// Toolpost's own files, which no rule makes writable.
    own: Arc<Vec<PathBuf>>,
    /// Files that no rule makes readable either: the state, with its copies of changed files.
    hidden: Arc<Vec<PathBuf>>,
    /// The kinds of access that are always denied.
    denied: Arc<Vec<Access>>,
    /// The roots, to resolve the paths that commands name.
    roots: Arc<Vec<PathBuf>>,
    /// The user's policy file, which receives permanent approvals.
    learned: Option<Arc<PathBuf>>,
    /// Finds withheld files below the directories that commands search.
    looker: Option<tree::Looker>,
}

impl Policy {
    /// Creates a policy of only the built-in rules; a test checks their examples, so that startup need not.
    ///
    /// # Errors
    /// Never in a released program: a test checks the rules.
    pub fn built_in() -> Result<Self, PolicyError> {
        let source = RuleSource::BuiltIn;
        let file = file::parse(defaults::RULES, &source)?;
        let rules = file.rules.into_iter().map(|parsed| parsed.rule);
        Self::of(Vec::new()).adding(rules).with_lists(&file.lists, &source)
    }

    fn of(rules: Vec<Rule>) -> Self {
        Self {
            rules: Arc::new(rules),
            own: Arc::default(),
            hidden: Arc::default(),
            denied: Arc::default(),
            roots: Arc::default(),
            learned: None,
            looker: None,
        }
    }

    /// Adds the rules of a file; the later rule wins over the earlier one, except that a project can only tighten.
    ///
    /// # Errors
    /// When the file is not TOML, a pattern is invalid, or one of its examples does not hold.
    pub fn with(self, text: &str, source: &RuleSource) -> Result<Self, PolicyError> {
        let file = file::parse(text, source)?;
        examples::each_rule(&file, source)?;
        let rules = file.rules.iter().map(|parsed| parsed.rule.clone());
        let policy = self.clone().adding(rules).with_lists(&file.lists, source)?;
        // The examples in a project's file must hold once the file is trusted.
        let trusted = match source {
            RuleSource::Project(name) | RuleSource::Lapsed(name) => {
                let trusted = RuleSource::Trusted(name.clone());
                let rules = file::parse(text, &trusted)?.rules.into_iter().map(|parsed| parsed.rule);
                self.adding(rules).with_lists(&file.lists, &trusted)?
            }
            _ => policy.clone(),
        };
        examples::whole(&file, source, &trusted)?;
        Ok(policy)
    }

    fn adding(self, further: impl IntoIterator<Item = Rule>) -> Self {
        let mut rules = (*self.rules).clone();
        rules.extend(further);
        Self { rules: Arc::new(rules), looker: self.looker.map(tree::Looker::renewed), ..self }
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

    /// Judges one touch.
    pub(crate) fn judge(&self, touch: &Touch) -> Judgement {
        let judged = match touch {
            Touch::Read(path) => self.judge_path(Access::Reads, path),
            Touch::Write(path, _) => self.judge_path(Access::Writes, path),
            Touch::Execute(command) => self.judge_command(command),
            Touch::Fetch(host) => self.judge_fetch(host),
            Touch::Consult(host) => self.judge_service(host),
            Touch::Bridge(tool) => self.judge_tool(tool),
            Touch::Delegate(agent) => self.judge_agent(agent),
            Touch::Editor(act) => self.judge_editor(touch, *act),
        };
        self.with_lapsed(touch, judged)
    }

    /// Returns true if a path may be read without a prompt.
    #[must_use]
    pub fn lets_read(&self, path: &WorkspacePath) -> bool {
        self.judge_path(Access::Reads, path).decision == Decision::Allow
    }

    /// Judges a path in a root.
    pub(crate) fn judge_path(&self, access: Access, path: &WorkspacePath) -> Judgement {
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
        let above = [std::path::Path::new("/")];
        let above = above.into_iter().chain(self.roots.iter().map(PathBuf::as_path));
        let inside = above.filter_map(|root| path.raw().strip_prefix(root).ok());
        let inside = inside.map(|relative| self.judge_name(access, &relative.to_string_lossy(), &absolute));
        inside.fold(own, |all, other| if other.decision > all.decision { other } else { all })
    }

    /// Explains the effects of a command, and the rule that decides each part.
    #[must_use]
    pub fn explain(&self, command: &Command) -> Explained {
        self.explain_lapsed(command, command::explain(self, command))
    }

    pub(crate) fn judge_name(&self, access: Access, relative: &str, absolute: &str) -> Judgement {
        let (decision, rule) =
            self.find(access, Decision::Allow, |rule| rule.matches_path(relative, absolute));
        let why = rule.map_or_else(|| "no rule forbids it".to_owned(), |rule| rule.why.clone());
        Judgement { decision, why, lifted: Lifted::ByRule }
    }

    fn judge_command(&self, command: &Command) -> Judgement {
        let explained = self.explain(command);
        if explained.decision == Decision::Allow && command.approval == Approval::Wanted {
            return Judgement { decision: Decision::Ask, why: WANTED.to_owned(), lifted: Lifted::ByNothing };
        }
        let lifted = if explained.fixed() { Lifted::ByNothing } else { Lifted::ByRule };
        Judgement { decision: explained.decision, why: explained.reason(), lifted }
    }

    /// Judges a tool of an upstream server: the operator permitted its calls by connecting the server.
    fn judge_tool(&self, tool: &RemoteTool) -> Judgement {
        if let Some(denied) = self.denies(Access::Bridges) {
            return denied;
        }
        let (decision, rule) =
            self.find(Access::Bridges, Decision::Allow, |rule| rule.matches_tool(&tool.shown()));
        let why = rule.map_or_else(|| "no rule forbids it".to_owned(), |rule| rule.why.clone());
        Judgement { decision, why, lifted: Lifted::ByRule }
    }

    /// Judges an agent: its calls are judged one by one, so an agent that no rule matches is allowed.
    fn judge_agent(&self, agent: &str) -> Judgement {
        if let Some(denied) = self.denies(Access::Delegates) {
            return denied;
        }
        let (decision, rule) =
            self.find(Access::Delegates, Decision::Allow, |rule| rule.matches_agent(agent));
        let why = rule.map_or_else(|| "no rule forbids it".to_owned(), |rule| rule.why.clone());
        Judgement { decision, why, lifted: Lifted::ByRule }
    }

    /// Judges an editor action: the operator permitted it by attaching the editor, for files that the rules allow.
    fn judge_editor(&self, touch: &Touch, act: EditorUse) -> Judgement {
        if let Some(denied) = self.denies(Access::Editor).or_else(|| self.denies(touch.access())) {
            return denied;
        }
        let (decision, rule) =
            self.find(Access::Editor, Decision::Allow, |rule| rule.matches_act(act.word()));
        let why = rule.map_or_else(|| "no rule forbids it".to_owned(), |rule| rule.why.clone());
        Judgement { decision, why, lifted: Lifted::ByRule }
    }

    /// Finds the last rule that matches and may decide.
    fn find(
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
    fn kept(&self, access: Access, path: &std::path::Path) -> Option<Judgement> {
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

    fn denies(&self, access: Access) -> Option<Judgement> {
        let why =
            "Toolpost was started so that no tool does that (the setting `read_only` or `deny`).".to_owned();
        let denied = self.denied.contains(&access);
        denied.then_some(Judgement { decision: Decision::Deny, why, lifted: Lifted::ByNothing })
    }
}

const WANTED: &str = "the call itself requires approval; without that, the rules would allow it";

#[cfg(test)]
mod tests;
