//! Rules in another spelling: lists of commands whose words stand between colons, such as `git:push:--force`.

use super::{Decision, Policy, PolicyError, Rule, RuleSource, pattern::Pattern, rule::Target};
use toolpost_engine::Access;

/// Lists of commands, in four priorities: own denials, own permissions, the built-in denials, the built-in permissions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lists {
    /// What is allowed, over the built-in denials.
    pub allow: Vec<String>,
    /// What is denied, whatever else is said.
    pub deny: Vec<String>,
    /// Whether the built-in permissions hold.
    pub built_in_allow: BuiltIn,
    /// Whether the built-in denials hold.
    pub built_in_deny: BuiltIn,
}

/// Whether a built-in list holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BuiltIn {
    /// It does.
    #[default]
    Kept,
    /// It does not.
    Dropped,
}

impl Policy {
    /// Adds lists of commands behind the rules that there are.
    ///
    /// The later rule wins, and the built-in list permits first and denies then, so the order of the rules is that of the
    /// four priorities, the lowest first.
    ///
    /// # Errors
    /// When a pattern of the lists is wrong.
    pub fn with_lists(self, lists: &Lists) -> Result<Self, PolicyError> {
        let dropped = |rule: &Rule| {
            let listed = rule.source == RuleSource::BuiltIn && rule.accesses == [Access::Executes];
            let which =
                if rule.decision == Decision::Allow { lists.built_in_allow } else { lists.built_in_deny };
            listed && which == BuiltIn::Dropped
        };
        let kept: Vec<Rule> = self.rules.iter().filter(|rule| !dropped(rule)).cloned().collect();
        let own = [
            own(&lists.allow, Decision::Allow, "a list of allowed commands names it")?,
            own(&lists.deny, Decision::Deny, "a list of denied commands names it")?,
        ];
        let policy = Self { rules: std::sync::Arc::new(kept), ..self };
        Ok(policy.adding(own.into_iter().flatten()))
    }
}

fn own(patterns: &[String], decision: Decision, why: &str) -> Result<Option<Rule>, PolicyError> {
    let file = format!("the list of what to {}", decision.word());
    let read = |pattern: &String| {
        words(pattern).and_then(|words| Pattern::read(&words)).map_err(|problem| PolicyError::Pattern {
            file: file.clone(),
            pattern: pattern.clone(),
            problem: problem.to_owned(),
        })
    };
    let patterns: Vec<Pattern> = patterns.iter().map(read).collect::<Result<_, _>>()?;
    if patterns.is_empty() {
        return Ok(None);
    }
    Ok(Some(Rule {
        accesses: vec![Access::Executes],
        target: Target::Commands(patterns),
        decision,
        why: why.to_owned(),
        source: RuleSource::Operator(file.clone()),
        line: 0,
    }))
}

/// Writes a pattern with colons as one with blanks: a `*` there is also a word that is missing, as a short pattern is here.
fn words(pattern: &str) -> Result<String, &'static str> {
    if pattern.contains(char::is_whitespace) && pattern.contains(['|', '&', ';', '\n', '`', '$']) {
        return Err(
            "it is about several commands; each command of a line is judged by itself, so write one pattern for each",
        );
    }
    let words: Vec<&str> = pattern.split(':').collect();
    let last = words.iter().rposition(|word| *word != "*").map_or(1, |last| last + 1);
    Ok(words[..last.max(1)].join(" "))
}
