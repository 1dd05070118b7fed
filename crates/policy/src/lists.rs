//! Rules in a second syntax: lists of commands whose words are separated by colons, such as
//! `git:push:--force`.

use crate::{
    access::Access,
    decision::Decision,
    error::PolicyError,
    pattern::Pattern,
    policy::Policy,
    rule::{Rule, RuleSource, Target},
};

/// The command lists of a policy file. Their priority, highest first: the file's denials, the file's
/// permissions, the built-in denials, the built-in permissions.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Lists {
    /// The commands that the file allows; they override the built-in denials.
    allow: Vec<String>,
    /// The commands that the file denies; nothing in the file overrides these denials.
    deny: Vec<String>,
    /// The built-in permissions: kept or dropped.
    built_in_allow: BuiltIn,
    /// The built-in denials: kept or dropped.
    built_in_deny: BuiltIn,
}

/// The effect of a policy file on a built-in list of commands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum BuiltIn {
    /// The built-in list applies.
    #[default]
    Kept,
    /// The built-in list does not apply.
    Dropped,
}

impl Policy {
    /// Adds the rules of a policy file's command lists after the existing rules, and removes the built-in lists that the
    /// file drops. Fails if a pattern is invalid, or if an untrusted file of a project drops a built-in list.
    ///
    /// A later rule overrides an earlier one, so the rules are added in the order of their priority, lowest
    /// first.
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
        let mut kept = std::sync::Arc::unwrap_or_clone(self.rules);
        kept.retain(|rule| !dropped(rule));
        let own = [
            own(&lists.allow, Decision::Allow, "a list of allowed commands contains it", source)?,
            own(&lists.deny, Decision::Deny, "a list of denied commands contains it", source)?,
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

/// Converts a pattern with colons to one with spaces. In colon syntax, a trailing `*` matches any number of
/// words, even none. The `*` is dropped, because a pattern with spaces allows any further words anyway.
fn words(pattern: &str) -> Result<String, &'static str> {
    if pattern.contains(char::is_whitespace) && pattern.contains(['|', '&', ';', '\n', '`', '$']) {
        return Err(
            "it matches several commands; each command of a line is checked separately, so write one pattern for each",
        );
    }
    let words: Vec<&str> = pattern.split(':').collect();
    let last = words.iter().rposition(|word| *word != "*").map_or(1, |last| last + 1);
    Ok(words[..last.max(1)].join(" "))
}
