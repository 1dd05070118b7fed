//! Nested calls: the gateway through which an operation makes calls, each handled like any other call.

use crate::access::Access;
use schemars::JsonSchema;
use serde::Serialize;
use std::{fmt, future::Future, pin::Pin, sync::Arc, time::Instant};
use tokio_util::sync::CancellationToken;

/// A call that an operation makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InnerCall {
    /// The name of the tool.
    pub tool: String,
    /// The arguments as text, exactly as they were sent.
    pub arguments: String,
    /// The maximum size of its reply, in bytes.
    pub reply_bytes: usize,
    /// The deadline; the answer holds the results available by then.
    pub due: Option<Instant>,
    /// The permissions of the call.
    pub may: May,
    /// The handling of pictures in its reply.
    pub pictures: Pictures,
}

/// The handling of pictures in the reply of a nested call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pictures {
    /// The text names them and explains how to see them.
    Named,
    /// The pictures are returned with the text, which marks the position of each.
    Given,
}

/// The permissions of a nested call; neither kind may make further nested calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum May {
    /// Only reading, without a prompt: many such calls run at once.
    Read,
    /// Everything that the rules allow. Prompts go to the same user as for the client's calls.
    Everything,
}

/// A tool that nested calls can name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offered {
    /// The published name.
    pub name: String,
    /// A description, in one paragraph.
    pub description: String,
    /// The schema of its arguments, as JSON.
    pub schema: String,
    /// The sorts of access that it can have at most.
    pub access: Vec<Access>,
}

/// The answer of a nested call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InnerAnswer {
    /// The outcome.
    pub ended: Ended,
    /// The text of its reply or of its failure.
    pub words: String,
    /// Its pictures, in the order of the text; empty if they were not requested.
    pub pictures: Vec<InnerPicture>,
}

/// A picture in the reply of a nested call.
#[derive(Clone, PartialEq, Eq)]
pub struct InnerPicture {
    /// Its media type.
    pub mime: String,
    /// Its bytes.
    pub data: Vec<u8>,
}

impl fmt::Debug for InnerPicture {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "a picture ({}, {} bytes)", self.mime, self.data.len())
    }
}

impl InnerAnswer {
    /// Creates an answer of text alone.
    #[must_use]
    pub fn of_words(ended: Ended, words: String) -> Self {
        Self { ended, words, pictures: Vec::new() }
    }
}

/// The outcome of a nested call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// It succeeded.
    Done,
    /// It ran and failed.
    Failed,
    /// It was not made: a nested call may only read, and makes no further calls.
    Refused,
    /// It was cancelled while it ran.
    GivenUp,
    /// It was never started.
    Skipped,
}

/// A nested call in progress.
pub type Calling<'a> = Pin<Box<dyn Future<Output = InnerAnswer> + Send + 'a>>;

/// The gateway for calls that an operation makes; these calls cannot make further calls.
pub trait CallGateway: Send + Sync {
    /// Sends a call through the session of the gateway.
    fn call<'a>(&'a self, call: InnerCall, cancel: CancellationToken) -> Calling<'a>;

    /// Lists the tools that can be called, in the order of their publication, without those that make nested
    /// calls.
    fn tools(&self) -> Vec<Offered>;

    /// Returns a gateway to the same tools with a separate session, which has not seen any file that this one
    /// has seen.
    fn apart(&self) -> Arc<dyn CallGateway>;
}
