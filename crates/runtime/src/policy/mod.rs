//! Rules over touches: allow, ask, deny.

mod defaults;
mod file;

use globset::GlobSet;
use std::{path::PathBuf, sync::Arc};
use toolpost_engine::Access;
use toolpost_workspace::WorkspacePath;

pub use file::PolicyError;

/// What a rule decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// It may happen.
    Allow,
    /// Somebody is asked first.
    Ask,
    /// It may not happen.
    Deny,
}

/// Where a rule comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleSource {
    /// Toolpost's own list of files that run by themselves or hold secrets.
    BuiltIn,
    /// The operator's file.
    Operator(String),
    /// A file of the project: it can only tighten.
    Project(String),
}

/// One rule: which touches, which paths, which decision, and why.
#[derive(Debug, Clone)]
pub struct Rule {
    accesses: Vec<Access>,
    /// Patterns that are meant from the root on.
    relative: GlobSet,
    /// Patterns that begin with a slash.
    absolute: GlobSet,
    decision: Decision,
    why: String,
    source: RuleSource,
}

impl Rule {
    /// Tells whether a path is meant: as it lies in its root, or as it lies on the disk.
    fn matches(&self, relative: &str, absolute: &str) -> bool {
        self.relative.is_match(relative) || self.absolute.is_match(absolute)
    }
}

/// What the rules say about one touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Judgement {
    pub(crate) decision: Decision,
    pub(crate) why: String,
    pub(crate) lifted: Lifted,
}

/// What could make it another judgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lifted {
    ByRule,
    ByNothing,
}

/// The rules that are in force.
#[derive(Debug, Clone)]
pub struct Policy {
    rules: Arc<Vec<Rule>>,
    /// Toolpost's own files, which no rule lets be written.
    own: Arc<Vec<PathBuf>>,
    /// What no rule lets be read either: the state, with its copies of what was changed.
    hidden: Arc<Vec<PathBuf>>,
    /// What is not done at all.
    denied: Arc<Vec<Access>>,
}

impl Policy {
    /// Makes a policy of the built-in rules alone.
    ///
    /// # Errors
    /// Never in a built program: the rules are checked by a test.
    pub fn built_in() -> Result<Self, PolicyError> {
        let rules = file::parse(defaults::RULES, &RuleSource::BuiltIn)?;
        Ok(Self {
            rules: Arc::new(rules),
            own: Arc::default(),
            hidden: Arc::default(),
            denied: Arc::default(),
        })
    }

    /// Adds the rules of a file; the later rule wins over the earlier one, except that a project can only tighten.
    ///
    /// # Errors
    /// When the file is not TOML, a pattern is wrong, or one of its examples does not hold.
    pub fn with(self, text: &str, source: &RuleSource) -> Result<Self, PolicyError> {
        let mut rules = (*self.rules).clone();
        rules.extend(file::parse(text, source)?);
        let policy = Self { rules: Arc::new(rules), ..self };
        file::check_examples(text, source, &policy)?;
        Ok(policy)
    }

    /// Keeps Toolpost's own files and folders (rules, configuration, state) from being written, whatever a rule says.
    #[must_use]
    pub fn keeping(self, own: Vec<PathBuf>) -> Self {
        Self { own: Arc::new(own), ..self }
    }

    /// Keeps folders from being read, whatever a rule says.
    #[must_use]
    pub fn hiding(self, hidden: Vec<PathBuf>) -> Self {
        Self { hidden: Arc::new(hidden), ..self }
    }

    /// Denies every touch of these sorts, whatever a rule says.
    #[must_use]
    pub fn denying(self, denied: &[Access]) -> Self {
        Self { denied: Arc::new(denied.to_vec()), ..self }
    }

    /// Lists where the rules come from, and how many there are.
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

    /// Judges one touch.
    pub(crate) fn judge(&self, access: Access, path: &WorkspacePath) -> Judgement {
        if self.denied.contains(&access) {
            let why = "Toolpost was started so that no tool does that.".to_owned();
            return Judgement { decision: Decision::Deny, why, lifted: Lifted::ByNothing };
        }
        if self.hidden.iter().any(|hidden| path.raw().starts_with(hidden)) {
            let why = "Toolpost keeps its own state there; no rule lets it be touched.".to_owned();
            return Judgement { decision: Decision::Deny, why, lifted: Lifted::ByNothing };
        }
        if access == Access::Writes && self.own.iter().any(|own| path.raw().starts_with(own)) {
            let why = "Toolpost itself works with this file; no rule lets it be written.".to_owned();
            return Judgement { decision: Decision::Deny, why, lifted: Lifted::ByNothing };
        }
        self.judge_name(access, &path.relative().to_string_lossy(), &path.raw().to_string_lossy())
    }

    pub(crate) fn judge_name(&self, access: Access, relative: &str, absolute: &str) -> Judgement {
        let folded = (fold(relative), fold(absolute));
        let mut judged = Judgement {
            decision: Decision::Allow,
            why: "no rule forbids it".to_owned(),
            lifted: Lifted::ByRule,
        };
        for rule in self.rules.iter().filter(|rule| rule.accesses.contains(&access)) {
            let matches = rule.matches(relative, absolute) || rule.matches(&folded.0, &folded.1);
            let tightens = rule.decision >= judged.decision;
            if matches && (tightens || !matches!(rule.source, RuleSource::Project(_))) {
                judged = Judgement { decision: rule.decision, why: rule.why.clone(), lifted: Lifted::ByRule };
            }
        }
        judged
    }
}

/// Writes a path as a careless file system might see it: no dots or spaces at a name's end. (Letter case is passed over
/// by the patterns.)
fn fold(path: &str) -> String {
    let names = path.split('/').map(|name| {
        let cut = name.trim_end_matches(['.', ' ']);
        if cut.is_empty() { name } else { cut }
    });
    names.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(access: Access, path: &str, wanted: Decision) {
        let policy = Policy::built_in().unwrap();
        let judged = policy.judge_name(access, path, &format!("/w/{path}"));
        assert_eq!(judged.decision, wanted, "{access:?} {path}");
    }

    #[test]
    fn built_in_rules_guard_what_runs_by_itself() {
        let guarded = [
            ".git/hooks/pre-commit",
            ".git/config",
            ".git/info/attributes",
            "sub/.git/hooks/post-merge",
            ".GIT/hooks/x",
            ".git./config ",
            ".vscode/tasks.json",
            ".cursor/mcp.json",
            ".mcp.json",
            ".envrc",
            ".claude/settings.json",
            ".gitmodules",
            ".idea/workspace.xml",
            ".codex/config.toml",
            ".gemini/settings.json",
            ".toolpost/policy.toml",
            ".husky/pre-commit",
            "sub/.vscode/settings.json",
            ".git/modules/x/config",
            ".git/worktrees/x/config.worktree",
        ];
        for path in guarded {
            let policy = Policy::built_in().unwrap();
            let judged = policy.judge_name(Access::Writes, path, &format!("/w/{path}"));
            assert_ne!(judged.decision, Decision::Allow, "write {path}");
        }
        for path in
            ["src/main.rs", ".github/workflows/ci.yml", ".gitignore", "git/hooks/x", "vscode/tasks.json"]
        {
            check(Access::Writes, path, Decision::Allow);
        }
    }

    #[test]
    fn what_lies_above_the_root_decides_nothing() {
        let policy = Policy::built_in().unwrap();
        let judged = policy.judge_name(Access::Writes, "src/a.rs", "/home/me/.claude/worktrees/x/src/a.rs");
        assert_eq!(judged.decision, Decision::Allow);
    }

    #[test]
    fn letter_case_is_passed_over() {
        let text =
            "[[rule]]\ntouch = [\"write\"]\npaths = [\"Secrets/\", \"/w/key.pem\"]\ndecide = \"deny\"\n";
        let policy = Policy::built_in().unwrap().with(text, &RuleSource::Operator("o".to_owned())).unwrap();
        for path in ["secrets/a", "SECRETS/a", "Secrets", "Key.PEM", "key.pem."] {
            let judged = policy.judge_name(Access::Writes, path, &format!("/w/{path}"));
            assert_eq!(judged.decision, Decision::Deny, "{path}");
        }
    }

    #[test]
    fn secrets_are_known_by_their_exact_names() {
        let rows = [
            (".env", Decision::Ask),
            (".env.local", Decision::Ask),
            (".env.production", Decision::Ask),
            (".env.development.local", Decision::Ask),
            ("sub/.env", Decision::Ask),
            ("id_ed25519", Decision::Ask),
            (".env.example", Decision::Allow),
            (".env.sample", Decision::Allow),
            (".env.template", Decision::Allow),
            (".envrc", Decision::Allow),
            ("environment.ts", Decision::Allow),
            ("my.env.ts", Decision::Allow),
        ];
        for (path, wanted) in rows {
            check(Access::Reads, path, wanted);
        }
    }

    #[test]
    fn the_later_rule_wins_but_a_project_only_tightens() {
        let rule = |decide: &str| {
            format!("[[rule]]\ntouch = [\"read\"]\npaths = [\".env\"]\ndecide = \"{decide}\"\nwhy = \"x\"\n")
        };
        let operator = RuleSource::Operator("o".to_owned());
        let project = RuleSource::Project("p".to_owned());
        let rows = [
            (&operator, "allow", Decision::Allow),
            (&operator, "deny", Decision::Deny),
            (&project, "allow", Decision::Ask),
            (&project, "deny", Decision::Deny),
        ];
        for (source, decide, wanted) in rows {
            let policy = Policy::built_in().unwrap().with(&rule(decide), source).unwrap();
            assert_eq!(
                policy.judge_name(Access::Reads, ".env", "/w/.env").decision,
                wanted,
                "{source:?} {decide}"
            );
        }
    }

    #[test]
    fn a_file_is_refused_where_its_example_does_not_hold() {
        let text = "[[rule]]\ntouch = [\"write\"]\npaths = [\"gen/**\"]\ndecide = \"deny\"\nwhy = \"made\"\nexamples = [\"src/a.rs\"]\n";
        let error =
            Policy::built_in().unwrap().with(text, &RuleSource::Operator("o".to_owned())).unwrap_err();
        assert_eq!(
            error.to_string(),
            "o: rule 1 (`made`) does not match its own example `src/a.rs`; correct the pattern or the example."
        );
    }
}
