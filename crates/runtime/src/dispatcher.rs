//! The start of every call: finds its tool, numbers it, and sends it through the layers.

use crate::{
    call::Call,
    catalogue::Catalogue,
    layers::{self, Arrival, CallError, CallOrigin, CallState, NestedLimits, Received},
    published::Published,
    services::Services,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};
use tokio::sync::watch;
use toolpost_engine::CallGateway;
use toolpost_tool::Done;
use toolpost_workspace::{Cause, unique};

/// The start of every call, by the client and nested.
pub(crate) struct Dispatcher {
    pub(crate) services: Services,
    /// The currently published tools.
    pub(crate) catalogue: watch::Sender<Arc<Catalogue>>,
    calls: AtomicU64,
    /// A random name that distinguishes this process's calls from those of others.
    name: String,
}

/// A call to dispatch.
pub(crate) struct Dispatch<'a> {
    /// The number of the call.
    pub(crate) id: u64,
    pub(crate) call: Call,
    /// The tool; `None` if none has that name.
    pub(crate) published: Option<&'a Published>,
    pub(crate) nested: Option<NestedLimits>,
    /// The gateway for the calls that this one makes.
    pub(crate) gateway: Option<Arc<dyn CallGateway>>,
    /// The deadline of the call that makes this one.
    pub(crate) deadline: Option<Instant>,
}

/// The number of digits that distinguish the processes in one history.
const NAME: usize = 6;

impl Dispatcher {
    /// Creates the start of calls.
    pub(crate) fn new(services: Services, catalogue: Catalogue) -> Self {
        let catalogue = watch::Sender::new(Arc::new(catalogue));
        Self { services, catalogue, calls: AtomicU64::new(1), name: unique() }
    }

    /// Returns the currently published tools.
    pub(crate) fn catalogue(&self) -> Arc<Catalogue> {
        self.catalogue.borrow().clone()
    }

    /// Returns the number of the next call.
    pub(crate) fn next_id(&self) -> u64 {
        self.calls.fetch_add(1, Ordering::Relaxed)
    }

    /// Runs a call through every layer, in and out.
    pub(crate) async fn run(&self, dispatch: Dispatch<'_>) -> Result<Done, CallError> {
        let Dispatch { id, call, published, nested, gateway, deadline } = dispatch;
        let cause = Arc::new(self.cause(id, published, &call));
        let data = Received { published, origin: CallOrigin { cause, gateway, deadline } };
        let state: CallState<'_, Arrival> = CallState { id, call, nested, data };
        layers::run(&self.services, state).await
    }

    /// Returns the cause of a change, for the history.
    fn cause(&self, id: u64, published: Option<&Published>, call: &Call) -> Cause {
        Cause {
            call: format!("{}-{id}", &self.name[..NAME]),
            tool: published.map_or_else(|| call.tool.clone(), |published| published.name.clone()),
            session: call.session.id().to_owned(),
            undoes: None,
        }
    }
}
