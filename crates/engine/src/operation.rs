//! The `Operation` trait, and the hosts that can run operations.

use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::Failure,
    seen::Seen,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::future::Future;

/// The effect of an operation's writes on existing content; the hints that clients see are derived from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// They add and replace nothing; repeating the request changes nothing more.
    Adds,
    /// They replace existing content; repeating the request changes nothing more.
    Replaces,
    /// They modify existing content; repeating the request may modify it again.
    Changes,
}

/// One function of the engine, with a typed request and a typed output.
pub trait Operation: 'static {
    /// The name in traces and events.
    const NAME: &'static str;
    /// The sorts of access that it can have at most.
    const ACCESS: &'static [Access];
    /// The effect of its writes on existing content; meaningless for an operation that only reads.
    const EFFECT: Effect = Effect::Changes;
    /// The capability that runs it.
    type Capability: Send + Sync;
    /// The request.
    type Request: Send + 'static;
    /// The output; the structured part of the reply in every dialect.
    type Output: Serialize + JsonSchema + Send;

    /// Lists the accesses of the request, before anything runs.
    fn touches(request: &Self::Request) -> Vec<Touch>;

    /// Runs the operation.
    fn run(
        capability: &Self::Capability,
        request: Self::Request,
        cx: &CallCtx,
    ) -> impl Future<Output = Result<Self::Output, Failure>> + Send;

    /// Lists the files that the caller has now seen, and their state.
    fn seen(_output: &Self::Output) -> Vec<Seen> {
        Vec::new()
    }
}

/// An operation whose capability a host provides, for example the engine.
pub trait RunsOn<H>: Operation {
    /// Returns the capability of the host that runs the operation.
    fn capability(host: &H) -> &Self::Capability;
}

impl<H: AsRef<O::Capability>, O: Operation> RunsOn<H> for O {
    fn capability(host: &H) -> &Self::Capability {
        host.as_ref()
    }
}
