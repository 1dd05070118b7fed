//! Rules of project files that have changed since they were trusted: the reason names them where they would decide.

use crate::{
    access::{Touch, command::Command},
    command::{self, Explained},
    decision::{Decision, Judgement, Lifted},
    policy::Policy,
    rule::RuleSource,
};
use std::sync::Arc;

impl Policy {
    /// Adds the reason to a judgement that would be to allow if a changed file were still trusted.
    pub(crate) fn with_lapsed(&self, touch: &Touch, judged: Judgement) -> Judgement {
        if judged.decision == Decision::Allow || judged.lifted == Lifted::ByNothing {
            return judged;
        }
        match self.as_trusted() {
            Some((trusted, why)) if trusted.judge(touch).decision == Decision::Allow => {
                Judgement { why, ..judged }
            }
            _ => judged,
        }
    }

    /// Adds the reason to the parts of a command that would be allowed if a changed file were still trusted.
    pub(crate) fn explain_lapsed(&self, of: &Command, mut explained: Explained) -> Explained {
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

    /// Returns the policy as if the changed files were still trusted, and the reason why they are not; `None` if there
    /// are none.
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
            "a rule in {}, {has} changed since `toolpost policy trust`, would allow it; run that again to trust the present content",
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
