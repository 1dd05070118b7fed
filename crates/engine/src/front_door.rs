//! Where an operation that makes calls makes them: each goes the way of every other call.

use schemars::JsonSchema;
use serde::Serialize;
use std::{future::Future, pin::Pin, time::Instant};
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
}

/// What came of a call that an operation made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InnerAnswer {
    /// Whether it was done.
    pub ended: Ended,
    /// The words of its reply or of its failure.
    pub words: String,
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

/// The way in for calls that an operation makes: they may read, and make no calls of their own.
pub trait FrontDoor: Send + Sync {
    /// Makes a call in the same session.
    fn call<'a>(&'a self, call: InnerCall, cancel: CancellationToken) -> Calling<'a>;
}
