//! Errors of opening Toolpost, by the part that cannot be used.

use std::{error, fmt};

/// Error of opening Toolpost or of one of its parts.
///
/// The variant is the part that cannot be used, for a program to match on. [`fmt::Display`] has the message,
/// and [`error::Error::source`] the errors below it. [`fmt::Debug`] has the message with its causes, because
/// Rust prints an error that `main` returns in this form. A call of a tool never returns an error: its failure
/// is a [`Reply`](crate::Reply), because a model must read it.
#[non_exhaustive]
pub enum Error {
    /// A setting is invalid, or two settings contradict each other. [`Error::setting`] names it.
    Setting(Cause),
    /// No root is set, a root or the state directory cannot be opened, or a file in them cannot be read.
    Workspace(Cause),
    /// A policy file cannot be read, or has an invalid rule.
    Policy(Cause),
    /// A dialect does not exist or has mistakes, or the selection of tools has an unknown name or leaves no tool.
    Tools(Cause),
    /// The record of trusted files cannot be read or written, or is damaged.
    Trust(Cause),
    /// Commands cannot run.
    Commands(Cause),
    /// The model or the external agent cannot be used, for example because a setting is invalid.
    Model(Cause),
    /// The configuration of upstream MCP servers cannot be used.
    Upstream(Cause),
    /// A service cannot be used: the shared index, the embedding model or the code search service.
    Service(Cause),
    /// The event log cannot be written.
    Events(Cause),
}

/// Message of an [`Error`], and its source. [`fmt::Display`] has the message.
#[derive(Debug)]
pub struct Cause {
    what: Option<String>,
    source: Option<Source>,
    /// The key of the setting that the error is about.
    setting: Option<&'static str>,
}

type Source = Box<dyn error::Error + Send + Sync>;

impl Cause {
    /// Creates a cause from a message.
    pub(crate) fn text(what: impl Into<String>) -> Self {
        Self { what: Some(what.into()), source: None, setting: None }
    }

    /// Wraps another error and uses its message.
    pub(crate) fn of(source: impl Into<Source>) -> Self {
        Self { what: None, source: Some(source.into()), setting: None }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self { what: Some(what), .. } => out.write_str(what),
            Self { source: Some(source), .. } => source.fmt(out),
            Self { what: None, source: None, .. } => out.write_str("unknown error"),
        }
    }
}

impl error::Error for Cause {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self { what: Some(_), source, .. } => source.as_deref().map(|source| source as _),
            Self { what: None, source, .. } => source.as_deref().and_then(error::Error::source),
        }
    }
}

impl Error {
    /// Returns the cause.
    #[must_use]
    pub fn cause(&self) -> &Cause {
        match self {
            Self::Setting(cause)
            | Self::Workspace(cause)
            | Self::Policy(cause)
            | Self::Tools(cause)
            | Self::Trust(cause)
            | Self::Commands(cause)
            | Self::Model(cause)
            | Self::Upstream(cause)
            | Self::Service(cause)
            | Self::Events(cause) => cause,
        }
    }

    /// Returns the key of the setting that the error is about, as in the configuration file; `None` if it is about no
    /// setting, or about several, or about a key that does not exist.
    #[must_use]
    pub fn setting(&self) -> Option<&str> {
        self.cause().setting
    }

    /// Names the setting that the error is about.
    pub(crate) fn about(mut self, key: &'static str) -> Self {
        self.cause_mut().setting = Some(key);
        self
    }

    fn cause_mut(&mut self) -> &mut Cause {
        match self {
            Self::Setting(cause)
            | Self::Workspace(cause)
            | Self::Policy(cause)
            | Self::Tools(cause)
            | Self::Trust(cause)
            | Self::Commands(cause)
            | Self::Model(cause)
            | Self::Upstream(cause)
            | Self::Service(cause)
            | Self::Events(cause) => cause,
        }
    }

    /// Returns the messages of the error and of all its sources, in one line.
    #[must_use]
    pub fn chain(&self) -> String {
        let below = std::iter::successors(error::Error::source(self), |error| error.source());
        std::iter::once(self.to_string()).chain(below.map(ToString::to_string)).collect::<Vec<_>>().join(": ")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause().fmt(out)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.chain())
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.cause().source()
    }
}

/// Conversion of results and options into [`Error`].
pub(crate) trait Explain<T> {
    /// Creates an error of this kind with a message and its source.
    fn explain(self, kind: fn(Cause) -> Error, what: impl Into<String>) -> Result<T, Error>;

    /// Creates an error of this kind with a message that is built only if there is an error.
    fn explain_with(self, kind: fn(Cause) -> Error, what: impl FnOnce() -> String) -> Result<T, Error>;
}

impl<T, E: Into<Source>> Explain<T> for Result<T, E> {
    fn explain(self, kind: fn(Cause) -> Error, what: impl Into<String>) -> Result<T, Error> {
        self.explain_with(kind, || what.into())
    }

    fn explain_with(self, kind: fn(Cause) -> Error, what: impl FnOnce() -> String) -> Result<T, Error> {
        self.map_err(|source| kind(Cause { what: Some(what()), source: Some(source.into()), setting: None }))
    }
}

impl<T> Explain<T> for Option<T> {
    fn explain(self, kind: fn(Cause) -> Error, what: impl Into<String>) -> Result<T, Error> {
        self.explain_with(kind, || what.into())
    }

    fn explain_with(self, kind: fn(Cause) -> Error, what: impl FnOnce() -> String) -> Result<T, Error> {
        self.ok_or_else(|| kind(Cause::text(what())))
    }
}

/// Conversion of a result's error without a further message.
pub(crate) trait Kind<T> {
    /// Converts the error of a result to an error of this kind, with the same message.
    fn kind(self, kind: fn(Cause) -> Error) -> Result<T, Error>;
}

impl<T, E: Into<Source>> Kind<T> for Result<T, E> {
    fn kind(self, kind: fn(Cause) -> Error) -> Result<T, Error> {
        self.map_err(|source| kind(Cause::of(source)))
    }
}
