//! Model providers: API format, URL and key.

use reqwest::Url;
use std::fmt;
use thiserror::Error;

/// A provider's API format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// OpenAI Chat Completions, which many services implement.
    OpenAi,
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Anthropic,
    /// Gemini API.
    Gemini,
    /// Ollama's own chat API.
    Ollama,
}

/// Endpoint of a model service.
#[derive(Clone)]
pub struct ModelEndpoint {
    /// API format.
    pub provider: Provider,
    /// Base URL, with a trailing slash.
    url: Url,
    /// API key, if any; it is never logged.
    key: Option<String>,
}

/// Reason why an endpoint is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ModelPlaceError {
    /// The URL is invalid.
    #[error(
        "invalid model URL `{0}`: it must begin with http:// or https:// and have a host, without a user, a query or a fragment"
    )]
    Address(String),
}

impl Provider {
    /// All providers, in display order.
    pub const ALL: [Self; 5] = [Self::OpenAi, Self::Responses, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// Returns the provider's name in settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Responses => "responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    /// Returns the environment variables that may hold the API key, in order of precedence; empty if no key is
    /// needed.
    #[must_use]
    pub fn key_variables(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi | Self::Responses => &["TOOLPOST_MODEL_KEY", "OPENAI_API_KEY"],
            Self::Anthropic => &["TOOLPOST_MODEL_KEY", "ANTHROPIC_API_KEY"],
            Self::Gemini => &["TOOLPOST_MODEL_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"],
            Self::Ollama => &[],
        }
    }

    /// Returns the media types of images that the API accepts.
    #[must_use]
    pub fn pictures(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi | Self::Responses | Self::Anthropic => {
                &["image/png", "image/jpeg", "image/webp", "image/gif"]
            }
            Self::Gemini => &["image/png", "image/jpeg", "image/webp"],
            Self::Ollama => &["image/png", "image/jpeg"],
        }
    }

    /// Returns the default URL of the provider's API.
    #[must_use]
    pub fn customary(self) -> &'static str {
        match self {
            Self::OpenAi | Self::Responses => "https://api.openai.com/v1/",
            Self::Anthropic => "https://api.anthropic.com/v1/",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta/",
            Self::Ollama => "http://localhost:11434/",
        }
    }

    /// Returns the path appended to a URL without one.
    fn path(self) -> &'static str {
        match self {
            Self::OpenAi | Self::Responses | Self::Anthropic => "/v1/",
            Self::Gemini => "/v1beta/",
            Self::Ollama => "/",
        }
    }
}

impl ModelEndpoint {
    /// Creates an endpoint; a URL without a path gets the provider's default path.
    ///
    /// # Errors
    /// If the URL is invalid.
    pub fn new(
        provider: Provider,
        address: Option<&str>,
        key: Option<String>,
    ) -> Result<Self, ModelPlaceError> {
        let said = address.unwrap_or_else(|| provider.customary()).trim();
        let bad = || ModelPlaceError::Address(toolpost_text::redact::url(said).into_owned());
        let mut url = Url::parse(said).map_err(|_| bad())?;
        let plain = url.username().is_empty() && url.password().is_none();
        let bare = url.query().is_none() && url.fragment().is_none();
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() || !plain || !bare {
            return Err(bad());
        }
        if url.path() == "/" {
            url.set_path(provider.path());
        } else if !url.path().ends_with('/') {
            url.set_path(&format!("{}/", url.path()));
        }
        Ok(Self { provider, url, key: key.filter(|key| !key.is_empty()) })
    }

    /// Returns the base URL, with a trailing slash.
    #[must_use]
    pub fn url(&self) -> &str {
        self.url.as_str()
    }

    /// Returns the host and port, for display.
    #[must_use]
    pub fn host(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        self.url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// Returns the API key; `None` if no key was given.
    pub(super) fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }
}

impl fmt::Debug for ModelEndpoint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = if self.key.is_some() { "[redacted]" } else { "none" };
        write!(out, "{} at {}, key {key}", self.provider.name(), self.url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn provider_urls_are_normalized() {
        let rows = [
            (Provider::OpenAi, None, Ok("https://api.openai.com/v1/")),
            (Provider::OpenAi, Some("http://127.0.0.1:8000"), Ok("http://127.0.0.1:8000/v1/")),
            (Provider::OpenAi, Some("https://a.b/api/openai"), Ok("https://a.b/api/openai/")),
            (Provider::Anthropic, Some("http://127.0.0.1:1/"), Ok("http://127.0.0.1:1/v1/")),
            (Provider::Gemini, Some("https://a.b"), Ok("https://a.b/v1beta/")),
            (Provider::Ollama, Some("http://a.b:11434"), Ok("http://a.b:11434/")),
            (Provider::Ollama, Some("a.b:11434"), Err(())),
            (Provider::OpenAi, Some("file:///etc/passwd"), Err(())),
            (Provider::OpenAi, Some("https://user:word@a.b/v1"), Err(())),
            (Provider::OpenAi, Some("https://a.b/v1?key=x"), Err(())),
        ];
        each(rows, |(provider, address, wanted)| {
            let found =
                ModelEndpoint::new(provider, address, None).map(|place| place.url().to_owned()).map_err(drop);
            assert_eq!(found, wanted.map(str::to_owned), "{provider:?} {address:?}");
        });
    }

    #[test]
    fn debug_output_hides_the_key() {
        let place = ModelEndpoint::new(Provider::OpenAi, None, Some("k-own".to_owned())).unwrap();
        assert_eq!(format!("{place:?}"), "openai at https://api.openai.com/v1/, key [redacted]");
    }
}
