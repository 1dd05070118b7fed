//! Why there is no answer.

use std::{fmt, time::Duration};
use toolpost_text::{cut, redact::redact};

/// How many characters of what a provider says are told.
const SAID: usize = 400;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The sort of fault.
    pub kind: FaultKind,
    /// What was found, in a sentence without the key.
    pub what: String,
    /// How long the provider wants to be left alone.
    pub retry_after: Option<Duration>,
}

/// The sort of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The provider cannot be reached.
    Unreachable,
    /// The provider has too much to do, or this key has asked too often.
    Overloaded,
    /// The provider has a fault of its own.
    Provider,
    /// The key or the model is refused.
    Refused,
    /// The question is more than the model can take in.
    TooLong,
    /// The question is not one that the provider understands.
    Question,
    /// The answer ended before it was whole.
    Broken,
    /// Nothing came for too long.
    Silent,
    /// What came is no answer.
    Shape,
    /// Whoever asked gave up.
    Cancelled,
}

impl Fault {
    /// Makes a fault; secrets are taken out of its words, and they are cut.
    #[must_use]
    pub fn new(kind: FaultKind, what: &str) -> Self {
        let what = redact(what.trim()).replace(['\n', '\r', '\t'], " ");
        let (kept, more) = cut::line(&what, SAID);
        let what = if more == 0 { kept.to_owned() } else { format!("{kept}…") };
        Self { kind, what, retry_after: None }
    }

    /// Makes the fault for a request that was answered with a status; what the provider said stands behind it.
    #[must_use]
    pub fn of_status(status: u16, said: &str) -> Self {
        let kind = match status {
            429 | 529 => FaultKind::Overloaded,
            413 => FaultKind::TooLong,
            401 | 403 | 404 => FaultKind::Refused,
            400 | 422 if speaks_of_length(said) => FaultKind::TooLong,
            400..=499 => FaultKind::Question,
            500..=599 => FaultKind::Provider,
            _ => FaultKind::Shape,
        };
        let said = said.trim();
        let behind = if said.is_empty() { String::new() } else { format!(": {said}") };
        Self::new(kind, &format!("The model's provider answered with status {status}{behind}"))
    }

    /// Makes the fault that a provider tells of while it answers, by its own word for it.
    #[must_use]
    pub fn told(kind: &str, said: &str) -> Self {
        let kinds = match kind {
            "overloaded_error" | "rate_limit_error" | "rate_limit_exceeded" => FaultKind::Overloaded,
            "authentication_error" | "permission_error" | "not_found_error" => FaultKind::Refused,
            "invalid_request_error" if speaks_of_length(said) => FaultKind::TooLong,
            "invalid_request_error" => FaultKind::Question,
            _ => FaultKind::Provider,
        };
        Self::new(kinds, &format!("The model's provider says {kind}: {said}"))
    }

    /// Makes the same fault without the key, wherever it stands in the words.
    #[must_use]
    pub fn without(mut self, key: Option<&str>) -> Self {
        if let Some(key) = key.filter(|key| key.len() >= 4) {
            self.what = self.what.replace(key, "[redacted]");
        }
        self
    }

    /// Says whether the same question may be answered a moment later.
    #[must_use]
    pub fn passes(&self) -> bool {
        match self.kind {
            FaultKind::Unreachable
            | FaultKind::Overloaded
            | FaultKind::Provider
            | FaultKind::Broken
            | FaultKind::Silent => true,
            FaultKind::Refused
            | FaultKind::TooLong
            | FaultKind::Question
            | FaultKind::Shape
            | FaultKind::Cancelled => false,
        }
    }
}

/// Says whether a provider's words mean that the question is too long; each has its own.
fn speaks_of_length(said: &str) -> bool {
    let said = said.to_lowercase();
    ["context_length", "context length", "context window", "too long", "too many tokens", "maximum context"]
        .iter()
        .any(|words| said.contains(words))
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.what)
    }
}

impl std::error::Error for Fault {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_status_means_is_told_apart() {
        let rows = [
            (429, "slow down", FaultKind::Overloaded, true),
            (529, "", FaultKind::Overloaded, true),
            (500, "oops", FaultKind::Provider, true),
            (401, "no", FaultKind::Refused, false),
            (400, "This model's maximum context length is 8192 tokens", FaultKind::TooLong, false),
            (400, "messages: wrong", FaultKind::Question, false),
            (302, "", FaultKind::Shape, false),
        ];
        for (status, said, kind, passes) in rows {
            let fault = Fault::of_status(status, said);
            assert_eq!((fault.kind, fault.passes()), (kind, passes), "{status} {said}");
        }
    }

    #[test]
    fn the_key_is_in_no_words() {
        let fault = Fault::of_status(401, "the key k-very-own is not known").without(Some("k-very-own"));
        assert_eq!(
            fault.what,
            "The model's provider answered with status 401: the key [redacted] is not known"
        );
    }
}
