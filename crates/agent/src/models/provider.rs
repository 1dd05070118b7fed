//! Who has models: the form in which each is asked, where it is, and where its key comes from.

use reqwest::Url;
use std::fmt;
use thiserror::Error;

/// Who has models, and the form in which they are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// Chat completions, which many services understand.
    OpenAi,
    /// Responses.
    Responses,
    /// Messages.
    Anthropic,
    /// Contents.
    Gemini,
    /// Ollama's own chat.
    Ollama,
}

/// Where models are asked, with which key.
#[derive(Clone)]
pub struct Place {
    /// The form.
    pub provider: Provider,
    /// Where it is, with a slash at its end.
    url: Url,
    /// The key, if there is one; it is written nowhere.
    key: Option<String>,
}

/// Why models cannot be asked where the operator says.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BadPlace {
    /// It is no address.
    #[error(
        "`{0}` is no address of a model: it begins with http:// or https://, has a host, and no user, question mark or `#`"
    )]
    Address(String),
}

impl Provider {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 5] = [Self::OpenAi, Self::Responses, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// Gives the name by which it is chosen.
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

    /// Gives the variables of the environment that hold its key, the first that is set counts; none where it needs no key.
    #[must_use]
    pub fn key_variables(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi | Self::Responses => &["TOOLPOST_MODEL_KEY", "OPENAI_API_KEY"],
            Self::Anthropic => &["TOOLPOST_MODEL_KEY", "ANTHROPIC_API_KEY"],
            Self::Gemini => &["TOOLPOST_MODEL_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"],
            Self::Ollama => &[],
        }
    }

    /// Gives the media types of pictures that are taken in this form.
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

    /// Gives where it is, where nobody says otherwise.
    #[must_use]
    pub fn customary(self) -> &'static str {
        match self {
            Self::OpenAi | Self::Responses => "https://api.openai.com/v1/",
            Self::Anthropic => "https://api.anthropic.com/v1/",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta/",
            Self::Ollama => "http://localhost:11434/",
        }
    }

    /// Gives the path that an address without one gets.
    fn path(self) -> &'static str {
        match self {
            Self::OpenAi | Self::Responses | Self::Anthropic => "/v1/",
            Self::Gemini => "/v1beta/",
            Self::Ollama => "/",
        }
    }
}

impl Place {
    /// Names a place; an address without a path gets the customary one of the provider.
    ///
    /// # Errors
    /// When it is no address.
    pub fn new(provider: Provider, address: Option<&str>, key: Option<String>) -> Result<Self, BadPlace> {
        let said = address.unwrap_or_else(|| provider.customary()).trim();
        let bad = || BadPlace::Address(said.to_owned());
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

    /// Gives the address, with a slash at its end.
    #[must_use]
    pub fn url(&self) -> &str {
        self.url.as_str()
    }

    /// Gives the host and the port, for people.
    #[must_use]
    pub fn host(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        self.url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// Gives the key.
    pub(super) fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = if self.key.is_some() { "[redacted]" } else { "none" };
        write!(out, "{} at {}, key {key}", self.provider.name(), self.url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_made_whole() {
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
        for (provider, address, wanted) in rows {
            let found = Place::new(provider, address, None).map(|place| place.url().to_owned()).map_err(drop);
            assert_eq!(found, wanted.map(str::to_owned), "{provider:?} {address:?}");
        }
    }

    #[test]
    fn the_key_is_not_shown() {
        let place = Place::new(Provider::OpenAi, None, Some("k-own".to_owned())).unwrap();
        assert_eq!(format!("{place:?}"), "openai at https://api.openai.com/v1/, key [redacted]");
    }
}
