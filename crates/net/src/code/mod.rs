//! External services for code and documentation search: a trait that each service implements, and one client for all
//! services.

mod context7;
mod error;
mod events;
mod exa;
mod github;
#[cfg(feature = "web")]
mod service;
#[cfg(not(feature = "web"))]
#[path = "without_service.rs"]
mod service;
mod sourcegraph;
mod terms;

use std::fmt;

pub use error::{ServiceConfigError, ServiceError};
pub use service::Service;

/// The request and response format of a code search service. Implementations do no I/O.
pub trait Provider: fmt::Debug + Send + Sync {
    /// Returns the name of the service in settings.
    fn name(&self) -> &'static str;

    /// Returns the default base URL of the service.
    fn default_address(&self) -> &'static str;

    /// Returns the names of the environment variables that usually contain an API key of the service.
    fn variables(&self) -> &'static [&'static str];

    /// Returns the kind of requests that the service answers: all, or only those with an API key.
    fn answers(&self) -> Answers;

    /// Returns the name and value of the HTTP header that carries an API key.
    fn key(&self, key: &str) -> (&'static str, String);

    /// Builds the request for a question.
    fn ask(&self, question: &Question<'_>) -> ServiceRequest;

    /// Parses a response; `base` is the base URL of the service.
    ///
    /// # Errors
    /// If the response is not understood. An empty result is not an error.
    fn read(&self, base: &str, answer: &ServiceResponse<'_>) -> Result<CodeSearchResponse, ResponseFault>;

    /// Returns whether an HTTP error response means an empty result.
    fn means_nothing(&self, _status: u16, _body: &str) -> bool {
        false
    }
}

/// All supported code search services.
pub const PROVIDERS: [&dyn Provider; 4] =
    [&exa::Exa, &context7::Context7, &sourcegraph::Sourcegraph, &github::GitHub];

/// The requests that a service answers, by whether they carry an API key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// The service answers all requests; an API key raises the rate limit.
    Everybody,
    /// The service answers only requests with an API key.
    KeyHolders,
}

/// A request for code or documentation, in a form that is independent of the service.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// The question, in natural language or in the service's query syntax.
    pub words: &'a str,
    /// Maximum size of the answer, in tokens.
    pub tokens: u64,
    /// Libraries that the question is about, if known.
    pub libraries: &'a [String],
}

/// An HTTP request to a code search service.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServiceRequest {
    /// Path after the base URL.
    pub path: &'static str,
    /// Names and values of the URL's query parameters.
    pub query: Vec<(&'static str, String)>,
    /// JSON body of the request; `None` for a GET request.
    pub body: Option<String>,
    /// Value of the `Accept` header.
    pub accept: &'static str,
    /// Names and values of further headers.
    pub headers: Vec<(&'static str, &'static str)>,
    /// The question in the form in which the service gets it, such as keywords.
    pub sent: String,
}

/// Body of a service's HTTP response.
#[derive(Debug, Clone, Copy)]
pub struct ServiceResponse<'a> {
    /// The received text, possibly incomplete.
    pub body: &'a str,
    /// Reason why `body` is incomplete; `None` if it is complete.
    pub broken: Option<&'a str>,
}

/// Search results of a service.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodeSearchResponse {
    /// Results, in the order of the service.
    pub findings: Vec<CodeSearchResult>,
    /// Notes for the user about the results, for example that there are more.
    pub notes: Vec<String>,
    /// The question in the form in which the service got it, such as keywords.
    pub sent: String,
}

/// One result of a code search service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeSearchResult {
    /// Title of the page or file, if the service states one.
    pub title: Option<String>,
    /// URL of the page or file, if the service states one.
    pub url: Option<String>,
    /// Text of the page or file, or an excerpt.
    pub text: String,
}

/// Reason why a response of a code search service cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResponseFault {
    /// The format of the response is not understood, for the given reason.
    Form(String),
    /// The response contains this error message of the service.
    Said(String),
}

impl ServiceResponse<'_> {
    /// Parses the body as JSON; fails if the body is incomplete.
    pub(crate) fn json<T: serde::de::DeserializeOwned>(&self) -> Result<T, ResponseFault> {
        if let Some(why) = self.broken {
            return Err(ResponseFault::Form(why.to_owned()));
        }
        serde_json::from_str(self.body).map_err(|error| ResponseFault::Form(error.to_string()))
    }
}

/// Returns a URL unchanged if its scheme is `http` or `https`; `None` otherwise.
fn web(url: &str) -> Option<String> {
    (url.starts_with("https://") || url.starts_with("http://")).then(|| url.to_owned())
}
