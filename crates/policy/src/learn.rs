//! Rules from approvals: the rule that an approval creates, and how a permanent approval is written to the
//! user's policy file.

use crate::{
    access::Touch,
    command::{Approvable, CommandExplanation, FurtherWords},
    decision::Decision,
    error::PolicyError,
    file,
    policy::Policy,
    rule::RuleSource,
    withheld::WithheldFinder,
};
use serde_json::json;
use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};
use thiserror::Error;
use toolpost_text::redact::redact;
use toolpost_workspace::operator;

/// The value of `why` in a rule that a permanent approval has written.
const WHY: &str = "You chose \"always\" when asked.";

/// Maximum length of the text that describes the scope of an approval in a prompt, in bytes; a longer text becomes
/// "exactly this", unless a rule allows further arguments.
const LONGEST_CHOICE: usize = 160;

/// The line of a learned rule that makes it cautious.
const CAUTIOUS: &str = "cautious = true\n";

/// The rules that may allow commands that run code in their arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CodeInArguments {
    /// No rule may allow such a command.
    Excluded,
    /// A rule may allow such a command with exactly its arguments.
    Exact,
}

/// The reason why a permanent approval could not be stored.
#[derive(Debug, Error)]
pub enum LearnError {
    /// No policy file is configured to which approvals could be written.
    #[error("no policy file is configured")]
    Nowhere,
    /// The policy file cannot be read or written.
    #[error("{file}: {error}")]
    File {
        /// The path of the policy file.
        file: String,
        /// The error of the operating system.
        error: io::Error,
    },
    /// With the new rule, the policy file would be invalid.
    #[error("with the rule, the file would be invalid: {0}")]
    Unusable(#[from] PolicyError),
}

/// Rules that allow the accesses of an approval prompt, so that the same call needs no further approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalRules {
    rules: Vec<LearnedRule>,
}

/// One rule that allows an access. In the form that an approval stores (`toml`), it is cautious: it overrides no
/// denial.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LearnedRule {
    verbs: Vec<&'static str>,
    key: &'static str,
    pattern: String,
    /// The description of what the rule allows, for the user.
    covers: String,
    /// The path that a rule about paths allows; empty for other rules.
    place: String,
    words: FurtherWords,
}

impl Policy {
    /// Sets the user's policy file, to which permanent approvals are written.
    #[must_use]
    pub fn learning(self, file: PathBuf) -> Self {
        Self { learned: Some(Arc::new(file)), ..self }
    }

    /// Returns the path of the user's policy file; `None` if approvals are not stored permanently.
    #[must_use]
    pub fn learned_file(&self) -> Option<String> {
        self.learned.as_ref().map(|file| file.display().to_string())
    }

    /// Returns the rules that allow these accesses without approval: for a command, its program with the
    /// subcommand, otherwise exactly these accesses. `None` if no rule of the user can express that, or the
    /// rules would contain a secret.
    #[must_use]
    pub fn approval_rules(&self, touches: &[Touch]) -> Option<ApprovalRules> {
        self.sufficient_rules(touches, CodeInArguments::Excluded)
    }

    /// Returns the rules that an operator would write to allow these accesses without approval. An approval never
    /// stores a rule for code in arguments, such as `python3 -c 'print(1)'`, but an operator may write one for
    /// exactly that code. `None` if no such rules would allow the accesses, or if they would contain a secret.
    #[must_use]
    pub fn operator_rules(&self, touches: &[Touch]) -> Option<ApprovalRules> {
        self.sufficient_rules(touches, CodeInArguments::Exact)
    }

    fn sufficient_rules(&self, touches: &[Touch], code: CodeInArguments) -> Option<ApprovalRules> {
        let mut learned = ApprovalRules { rules: Vec::new() };
        for touch in touches {
            for rule in self.rules_for(touch, code)? {
                learned.add(rule);
            }
        }
        let text = learned.toml();
        // A rule is stored permanently, so it must not contain a secret.
        if learned.rules.is_empty() || redact(&text) != text {
            return None;
        }
        // The rules that `proposed` shows to an operator are not cautious, so they are judged without that key.
        let text = if code == CodeInArguments::Exact { text.replace(CAUTIOUS, "") } else { text };
        let judged = self.with_approved(&text)?;
        touches.iter().all(|touch| judged.judge(touch).decision == Decision::Allow).then_some(learned)
    }

    /// Appends rules from an approval to the user's policy file.
    ///
    /// # Errors
    ///
    /// If no file is configured, it cannot be read or written, or it would be invalid with the rules.
    pub fn learn(&self, learned: &ApprovalRules) -> Result<(), LearnError> {
        let file = self.learned.as_ref().ok_or(LearnError::Nowhere)?;
        let shown = file.display().to_string();
        let failed = |error| LearnError::File { file: shown.clone(), error };
        let mut text = operator::read(file).map_err(failed)?.unwrap_or_default();
        let rules = learned.toml();
        if text.contains(&rules) {
            return Ok(());
        }
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&rules);
        // An invalid policy file would prevent the next start of Toolpost, so the new text is checked before it is
        // written.
        Self::built_in()?.with(&text, &RuleSource::Operator(shown.clone()))?;
        operator::replace(file, &text).map_err(failed)
    }

    /// Returns the policy with `rules` from approvals inserted after the user's rules and before those of
    /// projects; `None` if `rules` is empty or invalid.
    #[must_use]
    pub fn with_approved(&self, rules: &str) -> Option<Self> {
        if rules.is_empty() {
            return None;
        }
        let source = self.learned.as_ref().map_or(Path::new("approvals"), |file| file.as_path());
        let further = file::parse(rules, &RuleSource::Operator(source.display().to_string())).ok()?;
        let of_projects =
            |source: &RuleSource| !matches!(source, RuleSource::BuiltIn | RuleSource::Operator(_));
        let mut all = (*self.rules).clone();
        let at = all.iter().position(|rule| of_projects(&rule.source)).unwrap_or(all.len());
        all.splice(at..at, further.rules.into_iter().map(|parsed| parsed.rule));
        let finder = self.finder.clone().map(WithheldFinder::renewed);
        Some(Self { rules: Arc::new(all), finder, ..self.clone() })
    }

    fn rules_for(&self, touch: &Touch, code: CodeInArguments) -> Option<Vec<LearnedRule>> {
        Some(match touch {
            Touch::Read(path) => vec![LearnedRule::of_path("read", path.raw().to_str()?, &path.display())],
            Touch::Write(path, _) => {
                vec![LearnedRule::of_path("write", path.raw().to_str()?, &path.display())]
            }
            Touch::Fetch(host) | Touch::Consult(host) => vec![LearnedRule::of_host(&host.written())],
            Touch::Delegate(agent) => {
                let covers = format!("delegating {}", touch.shown());
                vec![LearnedRule::exact("delegate", "agents", agent.clone(), covers)]
            }
            Touch::Editor(act) => {
                let covers = format!("use of the editor to {}", touch.shown());
                vec![LearnedRule::exact("editor", "acts", act.word().to_owned(), covers)]
            }
            Touch::Bridge(tool) => vec![LearnedRule::exact("bridge", "tools", tool.shown(), touch.shown())],
            Touch::Execute(command) => command_rules(&self.explain(command), code)?,
        })
    }
}

impl ApprovalRules {
    /// Adds a rule, unless there is an equal one. Merges a rule for reading and one for writing with the same pattern
    /// into one rule.
    fn add(&mut self, rule: LearnedRule) {
        let same = |known: &&mut LearnedRule| known.key == rule.key && known.pattern == rule.pattern;
        let Some(known) = self.rules.iter_mut().find(same) else { return self.rules.push(rule) };
        if rule.verbs.iter().all(|verb| known.verbs.contains(verb)) {
            return;
        }
        known.verbs = vec!["read", "write"];
        known.covers = format!("reading and writing {}", known.place);
    }

    /// Checks whether the rules allow more than the call that the user approved.
    #[must_use]
    pub fn is_general(&self) -> bool {
        self.rules.iter().any(|rule| rule.words == FurtherWords::Any)
    }

    /// Checks whether rules in the format of a policy file concern paths.
    #[must_use]
    pub fn name_paths(rules: &str) -> bool {
        rules.contains("\npaths = ")
    }

    /// Describes what the rules allow, for the user. Empty if the description is too long for a prompt and no rule
    /// allows further arguments.
    #[must_use]
    pub fn covers(&self) -> String {
        let all = self.rules.iter().map(|rule| rule.covers.as_str()).collect::<Vec<_>>().join(", ");
        if self.is_general() || all.len() <= LONGEST_CHOICE { all } else { String::new() }
    }

    /// Returns each rule in one line, as an operator would write it in a policy file.
    #[must_use]
    pub fn proposed(&self) -> Vec<String> {
        self.rules.iter().map(LearnedRule::line).collect()
    }

    /// Returns each rule in one line, with every key that is written to a policy file except `why`.
    #[must_use]
    pub fn added(&self) -> Vec<String> {
        self.rules.iter().map(|rule| format!("{}, cautious = true", rule.line())).collect()
    }

    /// Formats the rules in TOML, for a policy file, without the key `why`.
    #[must_use]
    pub fn toml_without_why(&self) -> String {
        self.rules.iter().map(|rule| format!("[[rule]]\n{}\n", rule.keys().join("\n"))).collect()
    }

    /// Formats the rules in TOML, for a policy file.
    #[must_use]
    pub fn toml(&self) -> String {
        self.rules.iter().map(LearnedRule::toml).collect()
    }
}

impl LearnedRule {
    fn exact(verb: &'static str, key: &'static str, pattern: String, covers: String) -> Self {
        Self { verbs: vec![verb], key, pattern, covers, place: String::new(), words: FurtherWords::None }
    }

    fn of_path(verb: &'static str, path: &str, shown: &str) -> Self {
        let covers = format!("{} {shown}", if verb == "read" { "reading" } else { "writing" });
        Self { place: shown.to_owned(), ..Self::exact(verb, "paths", literal_pattern(path), covers) }
    }

    fn of_host(host: &str) -> Self {
        Self::exact("fetch", "hosts", host.to_owned(), format!("fetching from {host}"))
    }

    /// Returns the keys of the rule with their values, except `cautious` and `why`.
    fn keys(&self) -> [String; 3] {
        let pattern = json!([self.pattern]);
        let verbs = json!(self.verbs).to_string().replace(',', ", ");
        [format!("touch = {verbs}"), format!("{} = {pattern}", self.key), "decide = \"allow\"".to_owned()]
    }

    fn line(&self) -> String {
        self.keys().join(", ")
    }

    fn toml(&self) -> String {
        format!("\n[[rule]]\n{}\n{CAUTIOUS}why = {}\n", self.keys().join("\n"), json!(WHY))
    }
}

/// Returns the path pattern that matches exactly this path, with its wildcards escaped.
#[must_use]
pub fn literal_pattern(path: &str) -> String {
    globset::escape(path)
}

/// Returns a rule for each part of a command that needs approval; `None` if a rule cannot express one of
/// them.
fn command_rules(explained: &CommandExplanation, code: CodeInArguments) -> Option<Vec<LearnedRule>> {
    let mut rules = Vec::new();
    for segment in &explained.segments {
        if segment.decision == Decision::Ask {
            let exact = || {
                let pattern =
                    segment.exactly.clone().filter(|_| segment.has_code && code == CodeInArguments::Exact)?;
                Some(Approvable { pattern, words: FurtherWords::None })
            };
            let approvable = segment.approvable.clone().or_else(exact)?;
            let covers = match approvable.words {
                FurtherWords::Any => format!("`{}` with any further arguments", approvable.pattern),
                FurtherWords::None => format!("exactly `{}`", approvable.pattern.trim_end_matches(" $")),
            };
            let rule = LearnedRule::exact("execute", "commands", approvable.pattern.clone(), covers);
            rules.push(LearnedRule { words: approvable.words, ..rule });
        }
        for touch in segment.touches.iter().filter(|touch| touch.decision == Decision::Ask) {
            let place = touch.place.as_ref()?;
            rules.push(match touch.touch {
                "fetch" => LearnedRule::of_host(place),
                verb => LearnedRule::of_path(verb, place, &touch.what),
            });
        }
    }
    Some(rules)
}
