//! External services for code and documentation search: one trait per service, and one client for all of
//! them.

mod context7;
mod events;
mod exa;
mod github;
mod service;
mod sourcegraph;
mod terms;

use std::fmt;

pub use service::{BadService, Service, ServiceError};

/// Request and response format of a service. Implementations do no I/O.
pub trait Provider: fmt::Debug + Send + Sync {
    /// Returns the name in settings.
    fn name(&self) -> &'static str;

    /// Returns the default URL.
    fn customary(&self) -> &'static str;

    /// Returns the environment variables that conventionally hold its key.
    fn variables(&self) -> &'static [&'static str];

    /// Returns who may use the service.
    fn answers(&self) -> Answers;

    /// Returns the header that carries a key.
    fn key(&self, key: &str) -> (&'static str, String);

    /// Builds the request for a question.
    fn ask(&self, question: &Question<'_>) -> Asking;

    /// Parses a response; `base` is the URL of the service.
    ///
    /// # Errors
    /// If the response is not understood. An empty result is not an error.
    fn read(&self, base: &str, answer: &Answer<'_>) -> Result<Found, Unclear>;

    /// Returns whether an error response means an empty result.
    fn means_nothing(&self, _status: u16, _body: &str) -> bool {
        false
    }
}

/// All supported services.
pub const PROVIDERS: [&dyn Provider; 4] =
    [&exa::Exa, &context7::Context7, &sourcegraph::Sourcegraph, &github::GitHub];

/// Users that a service answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// Everyone; a key raises the rate limit.
    Everybody,
    /// Only holders of a key.
    KeyHolders,
}

/// A search request.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// The question.
    pub words: &'a str,
    /// Maximum size of the answer, in tokens.
    pub tokens: u64,
    /// Libraries that the question is about, if known.
    pub libraries: &'a [String],
}

/// HTTP request of a service.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asking {
    /// Path after the base URL.
    pub path: &'static str,
    /// Query parameters.
    pub query: Vec<(&'static str, String)>,
    /// Request body; `None` for a GET request.
    pub body: Option<String>,
    /// `Accept` header.
    pub accept: &'static str,
    /// Further headers.
    pub headers: Vec<(&'static str, &'static str)>,
    /// The question in the form that is sent.
    pub sent: String,
}

/// Body of a response.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    /// The received text.
    pub body: &'a str,
    /// Reason why the text is incomplete, if it is.
    pub broken: Option<&'a str>,
}

/// Result of a service.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// Findings, in the order of the service.
    pub findings: Vec<Finding>,
    /// Notes of the service about them.
    pub notes: Vec<String>,
    /// The question in the form that was sent.
    pub sent: String,
}

/// A single finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Title.
    pub title: Option<String>,
    /// URL.
    pub url: Option<String>,
    /// Text, or an excerpt of it.
    pub text: String,
}

/// Reason why a response cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unclear {
    /// Its format is not understood.
    Form(String),
    /// The service reports an error.
    Said(String),
}

impl Answer<'_> {
    /// Parses a complete JSON response.
    pub(crate) fn json<T: serde::de::DeserializeOwned>(&self) -> Result<T, Unclear> {
        if let Some(why) = self.broken {
            return Err(Unclear::Form(why.to_owned()));
        }
        serde_json::from_str(self.body).map_err(|error| Unclear::Form(error.to_string()))
    }
}

/// Returns the URL if it is an HTTP URL.
fn web(url: &str) -> Option<String> {
    (url.starts_with("https://") || url.starts_with("http://")).then(|| url.to_owned())
}
