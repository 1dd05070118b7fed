//! Loading of the built-in rules and of policy files.

use crate::{error::PolicyError, examples, file, policy::Policy, rule::RuleSource};

/// The text of the built-in rules, in the format of policy files.
pub(crate) const RULES: &str = include_str!("defaults.toml");

impl Policy {
    /// Creates a policy of only the built-in rules. A test checks the examples of these rules, so this
    /// function does not.
    ///
    /// # Errors
    ///
    /// If the built-in rules are invalid, which a test excludes.
    pub fn built_in() -> Result<Self, PolicyError> {
        let source = RuleSource::BuiltIn;
        let file = file::parse(RULES, &source)?;
        let rules = file.rules.into_iter().map(|parsed| parsed.rule);
        Self::of(Vec::new()).adding(rules).with_lists(&file.lists, &source)
    }

    /// Adds the rules of a policy file. A later rule overrides an earlier one, except that a project's rule
    /// can only make a decision stricter.
    ///
    /// # Errors
    ///
    /// If the file is not TOML, a rule or a pattern is invalid, an untrusted file of a project drops built-in lists,
    /// or one of the examples does not hold.
    pub fn with(self, text: &str, source: &RuleSource) -> Result<Self, PolicyError> {
        let file = file::parse(text, source)?;
        examples::each_rule(&file, source)?;
        let rules = file.rules.iter().map(|parsed| parsed.rule.clone());
        let policy = self.clone().adding(rules).with_lists(&file.lists, source)?;
        // The examples of a project's file state the decisions that apply once the user trusts the file, so they are
        // checked against trusted rules.
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
}
