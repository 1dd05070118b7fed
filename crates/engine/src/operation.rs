//! The trait of operations, and the hosts that can run them.

use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::Failure,
    seen::Seen,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::future::Future;

/// What the writes of an operation do to what exists; the hints that clients see are derived from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// They add, and replace nothing; the same request a second time changes nothing more.
    Adds,
    /// They replace what exists; the same request a second time changes nothing more.
    Replaces,
    /// They change what they find; the same request a second time may change it again.
    Changes,
}

/// One thing that the engine can do, typed in and typed out.
pub trait Operation: 'static {
    /// The word for it, as in traces and events.
    const NAME: &'static str;
    /// What its touches can be at most.
    const ACCESS: &'static [Access];
    /// What its writes do to what exists; it says nothing of an operation that only reads.
    const EFFECT: Effect = Effect::Changes;
    /// Capability that runs it.
    type Capability: Send + Sync;
    /// What is asked.
    type Request: Send + 'static;
    /// What comes of it; the structured part of every dialect's reply.
    type Output: Serialize + JsonSchema + Send;

    /// Says what the request would touch, before anything runs.
    fn touches(request: &Self::Request) -> Vec<Touch>;

    /// Does it.
    fn run(
        capability: &Self::Capability,
        request: Self::Request,
        cx: &CallCtx,
    ) -> impl Future<Output = Result<Self::Output, Failure>> + Send;

    /// Says which files the caller has now seen, and in which state.
    fn seen(_output: &Self::Output) -> Vec<Seen> {
        Vec::new()
    }
}

/// An operation whose capability a host has, such as the engine.
pub trait RunsOn<H>: Operation {
    /// Returns the capability of the host that runs the operation.
    fn capability(host: &H) -> &Self::Capability;
}

impl<H: AsRef<O::Capability>, O: Operation> RunsOn<H> for O {
    fn capability(host: &H) -> &Self::Capability {
        host.as_ref()
    }
}
