//! Rules that come of answers: what the user allowed for always is written into the user's own file of rules.

use super::{Decision, Policy, PolicyError, RuleSource, command::Explained, file};
use serde_json::json;
use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};
use thiserror::Error;
use toolpost_engine::Touch;
use toolpost_text::redact::redact;
use toolpost_workspace::operator;

/// What a rule that comes of an answer says of itself.
const WHY: &str = "You allowed it for always when you were asked.";

/// Why an answer could not be kept for always.
#[derive(Debug, Error)]
pub enum LearnError {
    /// No file was named.
    #[error("there is no file of rules to write it into")]
    Nowhere,
    /// The file cannot be read or written.
    #[error("{file}: {error}")]
    File {
        /// The file.
        file: String,
        /// What the system says.
        error: io::Error,
    },
    /// With the rule, the file could not be used.
    #[error("with the rule, the file could not be used: {0}")]
    Unusable(#[from] PolicyError),
}

impl Policy {
    /// Names the user's file of rules, so that answers can hold for always.
    #[must_use]
    pub fn learning(self, file: PathBuf) -> Self {
        Self { learned: Some(Arc::new(file)), ..self }
    }

    /// Words the rules under which these touches need not be asked about: each means what was asked, and nothing else.
    ///
    /// Gives none where no rule of the user's can say so.
    pub(crate) fn lesson(&self, touches: &[Touch]) -> Option<String> {
        let file = self.learned.as_ref()?;
        let mut rules: Vec<String> = Vec::new();
        for touch in touches {
            for rule in self.rules_for(touch)? {
                if !rules.contains(&rule) {
                    rules.push(rule);
                }
            }
        }
        let rules = rules.concat();
        // A rule is kept in a file, for always; a secret is not.
        if redact(&rules) != rules {
            return None;
        }
        let taught = self.taught(&rules, file).ok()?;
        touches.iter().all(|touch| taught.judge(touch).decision == Decision::Allow).then_some(rules)
    }

    /// Writes rules behind those that the user's file holds.
    pub(crate) fn learn(&self, rules: &str) -> Result<(), LearnError> {
        let file = self.learned.as_ref().ok_or(LearnError::Nowhere)?;
        let shown = file.display().to_string();
        let failed = |error| LearnError::File { file: shown.clone(), error };
        let mut text = operator::read(file).map_err(failed)?.unwrap_or_default();
        if text.contains(rules) {
            return Ok(());
        }
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(rules);
        // A file that cannot be used would keep the next start from happening.
        Self::built_in()?.with(&text, &RuleSource::Operator(shown.clone()))?;
        operator::replace(file, &text).map_err(failed)
    }

    /// Makes the policy that there would be with more rules at the end of the user's file.
    fn taught(&self, rules: &str, file: &Path) -> Result<Self, PolicyError> {
        let further = file::parse(rules, &RuleSource::Operator(file.display().to_string()))?;
        let of_projects =
            |source: &RuleSource| matches!(source, RuleSource::Project(_) | RuleSource::Trusted(_));
        let mut all = (*self.rules).clone();
        let at = all.iter().position(|rule| of_projects(&rule.source)).unwrap_or(all.len());
        all.splice(at..at, further.rules.into_iter().map(|parsed| parsed.rule));
        Ok(Self { rules: Arc::new(all), ..self.clone() })
    }

    fn rules_for(&self, touch: &Touch) -> Option<Vec<String>> {
        match touch {
            Touch::Read(path) => Some(vec![path_rule("read", path.raw().to_str()?)]),
            Touch::Write(path, _) => Some(vec![path_rule("write", path.raw().to_str()?)]),
            Touch::Fetch(host) | Touch::Consult(host) => Some(vec![rule("fetch", "hosts", &host.written())]),
            Touch::Delegate(agent) => Some(vec![rule("delegate", "agents", agent)]),
            Touch::Editor(act) => Some(vec![rule("editor", "acts", act.word())]),
            Touch::Bridge(tool) => Some(vec![rule("bridge", "tools", &tool.shown())]),
            Touch::Execute(command) => command_rules(&self.explain(command)),
        }
    }
}

/// Words a rule for each part of a command that is asked about.
fn command_rules(explained: &Explained) -> Option<Vec<String>> {
    let mut rules = Vec::new();
    for segment in &explained.segments {
        if segment.decision == Decision::Ask {
            rules.push(rule("execute", "commands", segment.exactly.as_ref()?));
        }
        for touch in segment.touches.iter().filter(|touch| touch.decision == Decision::Ask) {
            let place = touch.place.as_ref()?;
            rules.push(match touch.touch {
                "fetch" => rule("fetch", "hosts", place),
                verb => path_rule(verb, place),
            });
        }
    }
    Some(rules)
}

fn path_rule(verb: &str, path: &str) -> String {
    rule(verb, "paths", &globset::escape(path))
}

fn rule(verb: &str, key: &str, what: &str) -> String {
    let what = json!(what);
    format!("\n[[rule]]\ntouch = [\"{verb}\"]\n{key} = [{what}]\ndecide = \"allow\"\nwhy = \"{WHY}\"\n")
}
