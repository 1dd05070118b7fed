//! Errors of model requests.

use std::{fmt, time::Duration};
use toolpost_text::{cut, redact::redact};

/// Maximum length of the description of an error, in characters.
const SAID: usize = 400;

/// An error of a model request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelError {
    /// Kind of the error.
    pub kind: ModelErrorKind,
    /// Description, in a sentence that does not contain the API key.
    pub what: String,
    /// Waiting time that the provider requests.
    pub retry_after: Option<Duration>,
}

/// Kind of an error of a model request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelErrorKind {
    /// The provider cannot be reached.
    Unreachable,
    /// The provider is overloaded, or the rate limit for the key is reached.
    Overloaded,
    /// Internal error of the provider.
    Provider,
    /// The provider rejects the API key or the model.
    Refused,
    /// The request exceeds the context window.
    TooLong,
    /// The provider rejects the request as invalid.
    Question,
    /// The answer was cut off.
    Broken,
    /// No data arrived in time.
    Silent,
    /// The response is invalid.
    Shape,
    /// The caller cancelled the request.
    Cancelled,
}

impl ModelError {
    /// Creates an error; secrets are redacted, and a long text is cut.
    #[must_use]
    pub fn new(kind: ModelErrorKind, what: &str) -> Self {
        let what = redact(what.trim()).replace(['\n', '\r', '\t'], " ");
        let (kept, more) = cut::line(&what, SAID);
        let what = if more == 0 { kept.to_owned() } else { format!("{kept}…") };
        Self { kind, what, retry_after: None }
    }

    /// Creates the error for a response status, with the provider's message.
    #[must_use]
    pub fn of_status(status: u16, said: &str) -> Self {
        let kind = match status {
            429 | 529 => ModelErrorKind::Overloaded,
            413 => ModelErrorKind::TooLong,
            401 | 403 | 404 => ModelErrorKind::Refused,
            400 | 422 if speaks_of_length(said) => ModelErrorKind::TooLong,
            400..=499 => ModelErrorKind::Question,
            500..=599 => ModelErrorKind::Provider,
            _ => ModelErrorKind::Shape,
        };
        let said = said.trim();
        let behind = if said.is_empty() { String::new() } else { format!(": {said}") };
        Self::new(kind, &format!("The model's provider answered with status {status}{behind}"))
    }

    /// Creates the error that a provider reports within a stream, by the provider's name for it.
    #[must_use]
    pub fn told(kind: &str, said: &str) -> Self {
        let kinds = match kind {
            "overloaded_error" | "rate_limit_error" | "rate_limit_exceeded" => ModelErrorKind::Overloaded,
            "authentication_error" | "permission_error" | "not_found_error" => ModelErrorKind::Refused,
            "invalid_request_error" if speaks_of_length(said) => ModelErrorKind::TooLong,
            "invalid_request_error" => ModelErrorKind::Question,
            _ => ModelErrorKind::Provider,
        };
        Self::new(kinds, &format!("The model's provider reports {kind}: {said}"))
    }

    /// Returns the error with the API key removed from its text; a key of fewer than four bytes is not removed.
    #[must_use]
    pub fn without(mut self, key: Option<&str>) -> Self {
        if let Some(key) = key.filter(|key| key.len() >= 4) {
            self.what = self.what.replace(key, "[redacted]");
        }
        self
    }

    /// Returns whether a retry may succeed.
    #[must_use]
    pub fn passes(&self) -> bool {
        match self.kind {
            ModelErrorKind::Unreachable
            | ModelErrorKind::Overloaded
            | ModelErrorKind::Provider
            | ModelErrorKind::Broken
            | ModelErrorKind::Silent => true,
            ModelErrorKind::Refused
            | ModelErrorKind::TooLong
            | ModelErrorKind::Question
            | ModelErrorKind::Shape
            | ModelErrorKind::Cancelled => false,
        }
    }
}

/// Returns whether a provider's message means that the request is too long. Each provider has its own wording.
fn speaks_of_length(said: &str) -> bool {
    let said = said.to_lowercase();
    ["context_length", "context length", "context window", "too long", "too many tokens", "maximum context"]
        .iter()
        .any(|words| said.contains(words))
}

impl fmt::Display for ModelError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.what)
    }
}

impl std::error::Error for ModelError {}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn http_statuses_map_to_fault_kinds() {
        let rows = [
            (429, "slow down", ModelErrorKind::Overloaded, true),
            (529, "", ModelErrorKind::Overloaded, true),
            (500, "oops", ModelErrorKind::Provider, true),
            (401, "no", ModelErrorKind::Refused, false),
            (400, "This model's maximum context length is 8192 tokens", ModelErrorKind::TooLong, false),
            (400, "messages: wrong", ModelErrorKind::Question, false),
            (302, "", ModelErrorKind::Shape, false),
        ];
        each(rows, |(status, said, kind, passes)| {
            let fault = ModelError::of_status(status, said);
            assert_eq!((fault.kind, fault.passes()), (kind, passes), "{status} {said}");
        });
    }

    #[test]
    fn fault_messages_do_not_contain_the_key() {
        let fault = ModelError::of_status(401, "the key k-very-own is not known").without(Some("k-very-own"));
        assert_eq!(
            fault.what,
            "The model's provider answered with status 401: the key [redacted] is not known"
        );
    }
}
