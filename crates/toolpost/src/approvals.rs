//! Answers to approval prompts without a terminal.

use crate::settings::flags::Ask;
use std::sync::Arc;
use toolpost_runtime::{Asker, Verdict};

/// Creates the asker for the setting `ask` of a process that has no terminal.
#[must_use]
pub fn without_terminal(ask: Ask) -> Arc<dyn Asker> {
    Arc::new(match ask {
        Ask::Allow => Verdict::Allow,
        Ask::Prompt => Verdict::Deny("No prompt is possible: there is no terminal.".to_owned()),
        Ask::Deny => Verdict::Deny("No prompt is possible here, and the setting `ask` is `deny`.".to_owned()),
    })
}
