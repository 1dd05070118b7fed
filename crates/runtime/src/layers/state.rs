//! A call on its way through the layers: its type names the last layer that it has passed.

use crate::{ask::Question, call::Call, published::Published, services::Services};
use std::{future::Future, pin::Pin, sync::Arc, time::Instant};
use toolpost_engine::{CallCtx, CallGateway, Failure, May};
use toolpost_tool::{Done, Prepared};
use toolpost_workspace::Cause;

/// The most bytes of any reply, whatever the caller requested.
const MOST: usize = 16 * 1024 * 1024;

/// A call that has passed the layer `S`.
///
/// Its data grows with the layers: an arrived call may have no tool; a prepared one has its tool, its accesses and its
/// operation; only a permitted one has a [`CallCtx`], and the operation runs only with that of a call that has passed
/// the last layer.
pub(crate) struct CallState<'a, S: Stage> {
    pub(crate) id: u64,
    pub(crate) call: Call,
    /// The limits of a nested call; `None` for a call of the client.
    pub(crate) nested: Option<NestedLimits>,
    pub(crate) data: S::Data<'a>,
}

/// A position on the path of a call: before the first layer, or after one.
pub(crate) trait Stage: Sized + 'static {
    /// The data of a call at this position.
    type Data<'a>: Send;
}

/// The position before the first layer.
pub(crate) struct Arrival;

impl Stage for Arrival {
    type Data<'a> = Received<'a>;
}

/// The data of a call that has arrived.
pub(crate) struct Received<'a> {
    /// The tool; `None` if none has that name.
    pub(crate) published: Option<&'a Published>,
    pub(crate) origin: CallOrigin,
}

/// The parts of a call's context that exist before the rules have decided anything.
pub(crate) struct CallOrigin {
    /// The identity of the call, for the history of changes.
    pub(crate) cause: Arc<Cause>,
    /// The gateway for nested calls; `None` if the call may not make any.
    pub(crate) gateway: Option<Arc<dyn CallGateway>>,
    /// The deadline of the call that makes this one.
    pub(crate) deadline: Option<Instant>,
}

/// The data of a call whose arguments are decoded: its accesses are known, and nothing is permitted yet.
pub(crate) struct Lowered<'a> {
    pub(crate) published: &'a Published,
    pub(crate) prepared: Prepared,
    pub(crate) origin: CallOrigin,
}

/// The data of a call that the rules, and the user if asked, have permitted.
pub(crate) struct Permitted<'a> {
    pub(crate) published: &'a Published,
    pub(crate) prepared: Prepared,
    pub(crate) cx: CallCtx,
}

/// The limits of a nested call.
pub(crate) struct NestedLimits {
    /// The number of the call that makes it.
    pub(crate) parent: u64,
    /// The most bytes of its reply.
    pub(crate) reply_bytes: usize,
    /// The permitted actions.
    pub(crate) may: May,
}

impl<'a, S: Stage> CallState<'a, S> {
    /// Returns the same call after the next layer.
    pub(super) fn passed<T: Stage<Data<'a> = S::Data<'a>>>(self) -> CallState<'a, T> {
        CallState { id: self.id, call: self.call, nested: self.nested, data: self.data }
    }

    /// Returns the limit of the reply in bytes: the operator's or the dialect's, and less for a nested call.
    pub(super) fn reply_bytes(&self, published: &Published, services: &Services) -> usize {
        self.limited(services.config.reply_bytes.unwrap_or(published.dialect.budget.bytes))
    }

    /// Returns the limit of the reply in bytes if the caller requested the full output.
    pub(super) fn most_bytes(&self, services: &Services) -> usize {
        self.limited(services.config.reply_bytes.unwrap_or(MOST))
    }

    fn limited(&self, bytes: usize) -> usize {
        self.nested.as_ref().map_or(bytes, |nested| nested.reply_bytes.min(bytes))
    }
}

/// The reason why a call did not complete.
#[derive(Debug)]
pub(crate) enum CallError {
    Failed(Failure),
    Ask(Box<Question>),
    NoSuchTool(String),
    /// The call is not permitted as a nested call.
    Refused(Failure),
}

impl From<Failure> for CallError {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// The result that returns through the layers.
pub(crate) type LayerResult = Result<Done, CallError>;
/// The future of a call that is passing through the layers.
pub(crate) type LayerFuture<'a> = Pin<Box<dyn Future<Output = LayerResult> + Send + 'a>>;

/// A layer: a step around every call, and the position of a call that has passed it.
pub(crate) trait Layer: Stage {
    /// The position from which it takes a call. A layer in another place does not compile.
    type After: Stage;

    /// Handles a call on its way in, and its result on the way out.
    fn around<'a>(state: CallState<'a, Self::After>, next: Next<'a, Self>) -> LayerFuture<'a>;
}

/// The rest of the path after a layer.
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

/// A path from a position to the end of a call.
pub(crate) trait Path {
    /// The position where it begins.
    type From: Stage;

    /// Runs a call from there.
    fn run<'a>(services: &'a Services, state: CallState<'a, Self::From>) -> LayerFuture<'a>;
}

/// A path that begins with the layer `L`; it exists only if the rest begins after `L`.
pub(crate) struct Then<L, P>(std::marker::PhantomData<(L, P)>);

impl<L: Layer, P: Path<From = L>> Path for Then<L, P> {
    type From = L::After;

    fn run<'a>(services: &'a Services, state: CallState<'a, L::After>) -> LayerFuture<'a> {
        L::around(state, Next { services, rest: P::run })
    }
}
