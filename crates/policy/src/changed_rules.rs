//! Explanations of denials and prompts that changed policy files cause: if a project's file changed after the user trusted it,
//! and its rules would allow an access, the reason names the file.

use crate::{
    access::{Touch, command::Command},
    command::{self, CommandExplanation},
    decision::{Decision, DecisionOverride, Judgement},
    policy::Policy,
    rule::RuleSource,
};
use std::sync::Arc;

impl Policy {
    /// Replaces the reason of a judgement if a changed policy file is the cause: if the policy would allow the access
    /// if the user still trusted the file.
    pub(crate) fn with_changed_rules(&self, touch: &Touch, judged: Judgement) -> Judgement {
        if judged.decision == Decision::Allow || judged.lifted == DecisionOverride::ByNothing {
            return judged;
        }
        match self.as_trusted() {
            Some((trusted, why)) if trusted.judge(touch).decision == Decision::Allow => {
                Judgement { why, ..judged }
            }
            _ => judged,
        }
    }

    /// Replaces the reason of each command and access in `explained`, the explanation of the command `of`, that the
    /// policy would allow if the user still trusted the changed policy files.
    pub(crate) fn explain_changed_rules(
        &self,
        of: &Command,
        mut explained: CommandExplanation,
    ) -> CommandExplanation {
        if explained.decision == Decision::Allow {
            return explained;
        }
        let Some((trusted, why)) = self.as_trusted() else { return explained };
        let allowed = command::explain(&trusted, of);
        for (segment, other) in explained.segments.iter_mut().zip(&allowed.segments) {
            if segment.decision != Decision::Allow && other.decision == Decision::Allow {
                segment.why.clone_from(&why);
            }
            for (touch, other) in segment.touches.iter_mut().zip(&other.touches) {
                if touch.decision != Decision::Allow && other.decision == Decision::Allow {
                    touch.why.clone_from(&why);
                }
            }
        }
        explained
    }

    /// Returns the policy as if the changed policy files were still trusted, and the reason that names these
    /// files; `None` if no trusted file has changed.
    fn as_trusted(&self) -> Option<(Self, String)> {
        let mut files: Vec<&str> = Vec::new();
        for rule in self.rules.iter() {
            if let RuleSource::Lapsed(file) = &rule.source
                && !files.contains(&file.as_str())
            {
                files.push(file);
            }
        }
        if files.is_empty() {
            return None;
        }
        let has = if files.len() == 1 { "which has" } else { "which have" };
        let why = format!(
            "a rule in {}, {has} changed since `toolpost policy trust`, would allow it; run that command again to trust \
             the current content",
            files.join(" or ")
        );
        let mut rules = (*self.rules).clone();
        for rule in &mut rules {
            if let RuleSource::Lapsed(file) = &rule.source {
                rule.source = RuleSource::Trusted(file.clone());
            }
        }
        Some((Self { rules: Arc::new(rules), ..self.clone() }, why))
    }
}
