//! Where an operation that makes calls makes them: each goes the way of every other call.

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
    /// The arguments as they were sent, as text.
    pub arguments: String,
    /// How many bytes its reply may have.
    pub reply_bytes: usize,
    /// When its answer is due; what there is by then is the answer.
    pub due: Option<Instant>,
    /// What it may do.
    pub may: May,
    /// What becomes of pictures in its reply.
    pub pictures: Pictures,
}

/// What becomes of pictures in the reply of a call inside of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pictures {
    /// The words name them, and how they can be seen.
    Named,
    /// They come with the words, which say where each stands.
    Given,
}

/// What a call inside of another may do; neither kind makes calls of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum May {
    /// Read, and nobody is asked about it: many such calls are made at once.
    Read,
    /// All that the rules allow; who is asked about calls of the client is asked about it, too.
    Everything,
}

/// A tool that calls inside of another can name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offered {
    /// The name under which it is published.
    pub name: String,
    /// What it does, in a paragraph.
    pub description: String,
    /// The schema of its arguments, as JSON.
    pub schema: String,
    /// What its touches can be at most.
    pub access: Vec<Access>,
}

/// What came of a call that an operation made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InnerAnswer {
    /// Whether it was done.
    pub ended: Ended,
    /// The words of its reply or of its failure.
    pub words: String,
    /// Its pictures, in the order in which the words name them; none where they were not asked for.
    pub pictures: Vec<InnerPicture>,
}

/// A picture in the reply of a call inside of another.
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
    /// Makes an answer of words alone.
    #[must_use]
    pub fn of_words(ended: Ended, words: String) -> Self {
        Self { ended, words, pictures: Vec::new() }
    }
}

/// How an inner call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// It was done.
    Done,
    /// It was made and failed.
    Failed,
    /// It was not made: an inner call may only read, and makes no calls of its own.
    Refused,
    /// It was given up while it ran.
    GivenUp,
    /// It was never begun.
    Skipped,
}

/// An inner call that is being made.
pub type Calling<'a> = Pin<Box<dyn Future<Output = InnerAnswer> + Send + 'a>>;

/// The way in for calls that an operation makes; they make no calls of their own.
pub trait FrontDoor: Send + Sync {
    /// Makes a call in the door's session.
    fn call<'a>(&'a self, call: InnerCall, cancel: CancellationToken) -> Calling<'a>;

    /// Lists the tools that can be called, in the order in which they are published, without those that make calls.
    fn tools(&self) -> Vec<Offered>;

    /// Makes a door to the same tools with a session of its own: what was seen on this side was not seen there.
    fn apart(&self) -> Arc<dyn FrontDoor>;
}
