//! A call on its way through the layers: its type names the last layer that it has passed.

use crate::{
    ask::Question,
    call::Call,
    services::Services,
    target::{Requested, Target},
};
use std::{future::Future, pin::Pin, sync::Arc, time::Instant};
use toolpost_engine::{CallCtx, CallGateway, Failure, NestedCallPermissions};
use toolpost_tool::{Budget, CallResult, DecodedCall};
use toolpost_workspace::Cause;

/// Maximum size of a reply with the complete output, in bytes, if the operator sets no size.
const MOST: usize = 16 * 1024 * 1024;

/// A call that has passed the layer `S` of the path to its operation.
///
/// Each layer adds data to the call: an arrived call may have no tool; a prepared one has its tool, its
/// accesses and its operation; only a permitted one has a [`CallCtx`]. The operation runs only with the
/// [`CallCtx`] of a call that has passed the last layer.
pub(crate) struct CallState<'a, S: Stage> {
    pub(crate) id: u64,
    pub(crate) call: Call,
    /// The limits of a nested call; `None` for a call of the client.
    pub(crate) nested: Option<NestedLimits>,
    pub(crate) data: S::Data<'a>,
}

/// A position on the path of a call through the layers: before the first layer, or after one of them.
pub(crate) trait Stage: Sized + 'static {
    /// The data that a call has at this position.
    type Data<'a>: Send;
}

/// The position of a call before the first layer.
pub(crate) struct Arrival;

impl Stage for Arrival {
    type Data<'a> = ReceivedCall<'a>;
}

/// The data of a call whose arguments are not decoded yet.
pub(crate) struct ReceivedCall<'a> {
    /// The called tool or operation.
    pub(crate) requested: Requested<'a>,
    pub(crate) origin: CallOrigin,
}

/// The parts of a call's context that exist before the rules have decided about its accesses.
pub(crate) struct CallOrigin {
    /// The identity of the call, for the history of changes.
    pub(crate) cause: Arc<Cause>,
    /// The gateway for nested calls; `None` if the call may not make any.
    pub(crate) gateway: Option<Arc<dyn CallGateway>>,
    /// For a nested call, the deadline of the call that made it.
    pub(crate) deadline: Option<Instant>,
}

/// The data of a call whose arguments are decoded: its accesses are known, and nothing is permitted yet.
pub(crate) struct LoweredCall<'a> {
    pub(crate) target: Target<'a>,
    pub(crate) prepared: DecodedCall,
    pub(crate) origin: CallOrigin,
}

/// The data of a call whose accesses the rules have allowed, or the user has approved.
pub(crate) struct PermittedCall<'a> {
    pub(crate) target: Target<'a>,
    pub(crate) prepared: DecodedCall,
    pub(crate) cx: CallCtx,
}

/// The limits that the parent call sets for a nested call.
pub(crate) struct NestedLimits {
    /// The number of the parent call.
    pub(crate) parent: u64,
    /// The maximum size of the reply, in bytes.
    pub(crate) reply_bytes: usize,
    /// The accesses that the nested call may make: only reads, or all.
    pub(crate) may: NestedCallPermissions,
}

impl<'a, S: Stage> CallState<'a, S> {
    /// Returns the call with its data unchanged, at the position after the next layer.
    pub(super) fn passed<T: Stage<Data<'a> = S::Data<'a>>>(self) -> CallState<'a, T> {
        CallState { id: self.id, call: self.call, nested: self.nested, data: self.data }
    }

    /// Returns the maximum size of the reply in bytes: the operator's or else the dialect's, and for a nested call at
    /// most its own limit.
    pub(super) fn reply_bytes(&self, budget: &Budget, services: &Services) -> usize {
        self.limited(services.config.reply_bytes.unwrap_or(budget.bytes))
    }

    /// Returns the maximum size of the reply in bytes if the caller requested the complete output.
    pub(super) fn most_bytes(&self, services: &Services) -> usize {
        self.limited(services.config.reply_bytes.unwrap_or(MOST))
    }

    fn limited(&self, bytes: usize) -> usize {
        self.nested.as_ref().map_or(bytes, |nested| nested.reply_bytes.min(bytes))
    }
}

/// The reason why a call did not succeed.
#[derive(Debug)]
pub(crate) enum CallError {
    Failed(Failure),
    Ask(Box<Question>),
    NoSuchTool(String),
    /// A nested call makes calls itself, or an access that its parent call does not permit.
    Refused(Failure),
}

impl From<Failure> for CallError {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// The result of a call that returns through the layers.
pub(crate) type LayerResult = Result<CallResult, CallError>;
/// The future of a call that is passing through the layers.
pub(crate) type LayerFuture<'a> = Pin<Box<dyn Future<Output = LayerResult> + Send + 'a>>;

/// A layer: a step around every call. The type is also the position of a call that has passed the layer.
pub(crate) trait Layer: Stage {
    /// The layer that precedes this one. A layer in another position does not compile.
    type After: Stage;

    /// Handles a call on its way to the operation, and its result on the way back.
    fn around<'a>(state: CallState<'a, Self::After>, next: Next<'a, Self>) -> LayerFuture<'a>;
}

/// The layers and the operation that follow a layer.
pub(crate) struct Next<'a, S: Stage> {
    pub(crate) services: &'a Services,
    rest: fn(&'a Services, CallState<'a, S>) -> LayerFuture<'a>,
}

impl<'a, S: Stage> Next<'a, S> {
    /// Continues with the next layer, or runs the operation.
    pub(super) fn run(self, state: CallState<'a, S>) -> LayerFuture<'a> {
        (self.rest)(self.services, state)
    }
}

/// A path of a call: from a position before or after a layer to the operation.
pub(crate) trait Path {
    /// The position of the calls that enter the path.
    type From: Stage;

    /// Runs a call from the position `From` to its operation and back.
    fn run<'a>(services: &'a Services, state: CallState<'a, Self::From>) -> LayerFuture<'a>;
}

/// The path of the layer `L` followed by the path `P`. It implements `Path` only if `P` begins after `L`.
pub(crate) struct LayerPath<L, P>(std::marker::PhantomData<(L, P)>);

impl<L: Layer, P: Path<From = L>> Path for LayerPath<L, P> {
    type From = L::After;

    fn run<'a>(services: &'a Services, state: CallState<'a, L::After>) -> LayerFuture<'a> {
        L::around(state, Next { services, rest: P::run })
    }
}
