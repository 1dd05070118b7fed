//! Services on other machines that search code and documents: how each is asked is one trait, and the way to all of them is one.

mod context7;
mod events;
mod exa;
mod github;
mod service;
mod sourcegraph;
mod terms;

use std::fmt;

pub use service::{BadService, Service, ServiceError};

/// How one service is asked, and how it answers; whoever implements this reaches nothing itself.
pub trait Provider: fmt::Debug + Send + Sync {
    /// What the operator calls it.
    fn name(&self) -> &'static str;

    /// Where it is asked, if the operator names no other place.
    fn customary(&self) -> &'static str;

    /// The variables of the environment in which its key customarily stands.
    fn variables(&self) -> &'static [&'static str];

    /// Whether it answers those who have no key.
    fn answers(&self) -> Answers;

    /// Gives the header that holds a key.
    fn key(&self, key: &str) -> (&'static str, String);

    /// Words a question for it.
    fn ask(&self, question: &Question<'_>) -> Asking;

    /// Reads its answer; `base` is where it was asked.
    ///
    /// # Errors
    /// What is wrong with the answer: one that is not understood is not the same as one that holds nothing.
    fn read(&self, base: &str, answer: &Answer<'_>) -> Result<Found, Unclear>;

    /// Tells whether a refusal is its way of saying that there is nothing.
    fn means_nothing(&self, _status: u16, _body: &str) -> bool {
        false
    }
}

/// All services that can be asked.
pub const PROVIDERS: [&dyn Provider; 4] =
    [&exa::Exa, &context7::Context7, &sourcegraph::Sourcegraph, &github::GitHub];

/// Whom a service answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// Everybody; those who have a key more often.
    Everybody,
    /// Only those who have a key.
    KeyHolders,
}

/// What is asked.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// In words.
    pub words: &'a str,
    /// How many tokens the answer may have.
    pub tokens: u64,
    /// Libraries that are meant, as far as that is known.
    pub libraries: &'a [String],
}

/// A request as a service wants it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asking {
    /// What stands behind the address of the service.
    pub path: &'static str,
    /// What stands behind the question mark.
    pub query: Vec<(&'static str, String)>,
    /// What is sent; nothing where it only asks.
    pub body: Option<String>,
    /// Which forms of an answer are understood.
    pub accept: &'static str,
    /// Further headers.
    pub headers: Vec<(&'static str, &'static str)>,
    /// The question as it was worded.
    pub sent: String,
}

/// The body of an answer.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    /// What was sent, as far as it came.
    pub body: &'a str,
    /// Why it is not all; nothing if it is.
    pub broken: Option<&'a str>,
}

/// What a service found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// The places, in the order of the service.
    pub findings: Vec<Finding>,
    /// What it says of them.
    pub notes: Vec<String>,
    /// The question as it was worded for it.
    pub sent: String,
}

/// One place that a service found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is called.
    pub title: Option<String>,
    /// Where it stands.
    pub url: Option<String>,
    /// What stands there, or a part of it.
    pub text: String,
}

/// Why an answer is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unclear {
    /// It has another form.
    Form(String),
    /// The service says that something is wrong.
    Said(String),
}

impl Answer<'_> {
    /// Reads an answer that is JSON as a whole.
    pub(crate) fn json<T: serde::de::DeserializeOwned>(&self) -> Result<T, Unclear> {
        if let Some(why) = self.broken {
            return Err(Unclear::Form(why.to_owned()));
        }
        serde_json::from_str(self.body).map_err(|error| Unclear::Form(error.to_string()))
    }
}

/// Keeps an address only if a browser would open it.
fn web(url: &str) -> Option<String> {
    (url.starts_with("https://") || url.starts_with("http://")).then(|| url.to_owned())
}
