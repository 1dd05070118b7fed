//! The `Operation` trait, and the trait that connects an operation with the host that runs it.

use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::Failure,
    seen_content::SeenContent,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::future::Future;

/// The effect of an operation's writes on existing content. The MCP annotations `destructiveHint` and
/// `idempotentHint` are derived from this value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Writes only add content and never replace any; repeating the request has no further effect.
    Adds,
    /// Writes replace existing content; repeating the request has no further effect.
    Replaces,
    /// Writes modify existing content; repeating the request may modify it again.
    Changes,
}

/// One function of the engine, with a typed request and a typed output.
pub trait Operation: 'static {
    /// The name of the operation in traces and events.
    const NAME: &'static str;
    /// All kinds of access that a request can need.
    const ACCESS: &'static [Access];
    /// The effect of writes on existing content; meaningless for an operation that only reads.
    const EFFECT: Effect = Effect::Changes;
    /// The part of the engine that runs the operation.
    type Capability: Send + Sync;
    /// The request, already parsed from the arguments of a tool.
    type Request: Send + 'static;
    /// The output. With the setting for structured output, it is also a part of the reply, as data, in every dialect.
    type Output: Serialize + JsonSchema + Send;

    /// Lists the accesses of the request, before anything runs.
    fn touches(request: &Self::Request) -> Vec<Touch>;

    /// Runs the operation. The caller has already checked the accesses that `touches` lists.
    fn run(
        capability: &Self::Capability,
        request: Self::Request,
        cx: &CallCtx,
    ) -> impl Future<Output = Result<Self::Output, Failure>> + Send;

    /// Lists the files whose content the output shows: they count as read by the caller.
    fn seen(_output: &Self::Output) -> Vec<SeenContent> {
        Vec::new()
    }
}

/// An operation that runs on a host, for example the engine, which provides the operation's capability.
pub trait RunsOn<H>: Operation {
    /// Returns the part of the host that runs the operation.
    fn capability(host: &H) -> &Self::Capability;
}

impl<H: AsRef<O::Capability>, O: Operation> RunsOn<H> for O {
    fn capability(host: &H) -> &Self::Capability {
        host.as_ref()
    }
}
