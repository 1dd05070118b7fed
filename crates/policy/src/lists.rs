//! Rules in another syntax: lists of commands with words separated by colons, such as `git:push:--force`.

use crate::{
    access::Access,
    decision::Decision,
    error::PolicyError,
    pattern::Pattern,
    policy::Policy,
    rule::{Rule, RuleSource, Target},
};

/// Lists of commands, in four priorities: own denials, own permissions, the built-in denials, the built-in permissions.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Lists {
    /// The allowed commands; they override the built-in denials.
    allow: Vec<String>,
    /// The denied commands; nothing overrides them.
    deny: Vec<String>,
    /// The use of the built-in permissions.
    built_in_allow: BuiltIn,
    /// The use of the built-in denials.
    built_in_deny: BuiltIn,
}

/// The use of a built-in list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum BuiltIn {
    /// The list applies.
    #[default]
    Kept,
    /// The list does not apply.
    Dropped,
}

impl Policy {
    /// Adds lists of commands after the existing rules.
    ///
    /// The later rule wins, and the built-in list first permits and then denies, so the order of the rules is that of
    /// the four priorities, the lowest first.
    pub(crate) fn with_lists(self, lists: &Lists, source: &RuleSource) -> Result<Self, PolicyError> {
        let drops = [lists.built_in_allow, lists.built_in_deny].contains(&BuiltIn::Dropped);
        if drops && matches!(source, RuleSource::Project(_) | RuleSource::Lapsed(_)) {
            return Err(PolicyError::Drops { file: source.to_string() });
        }
        let dropped = |rule: &Rule| {
            let listed = rule.source == RuleSource::BuiltIn && rule.accesses == [Access::Executes];
            let which =
                if rule.decision == Decision::Allow { lists.built_in_allow } else { lists.built_in_deny };
            listed && which == BuiltIn::Dropped
        };
        let kept: Vec<Rule> = self.rules.iter().filter(|rule| !dropped(rule)).cloned().collect();
        let own = [
            own(&lists.allow, Decision::Allow, "a list of allowed commands names it", source)?,
            own(&lists.deny, Decision::Deny, "a list of denied commands names it", source)?,
        ];
        let policy = Self { rules: std::sync::Arc::new(kept), ..self };
        Ok(policy.adding(own.into_iter().flatten()))
    }
}

fn own(
    patterns: &[String],
    decision: Decision,
    why: &str,
    source: &RuleSource,
) -> Result<Option<Rule>, PolicyError> {
    let read = |pattern: &String| {
        words(pattern).and_then(|words| Pattern::read(&words)).map_err(|problem| PolicyError::Pattern {
            file: source.to_string(),
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
        cautious: false,
        source: source.clone(),
        line: 0,
    }))
}

/// Converts a pattern with colons to one with spaces: there, `*` also matches a missing word, as a short pattern does
/// here.
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
