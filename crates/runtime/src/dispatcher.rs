//! The dispatcher: assigns a number to a call, and runs the call through the layers.

use crate::{
    call::Call,
    catalogue::Catalogue,
    layers::{self, Arrival, CallError, CallOrigin, CallState, NestedLimits, ReceivedCall},
    services::Services,
    target::Requested,
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
use toolpost_tool::CallResult;
use toolpost_workspace::{Cause, unique};

/// The dispatcher of all calls: those of the client, and those that other calls make.
pub(crate) struct Dispatcher {
    pub(crate) services: Services,
    /// The currently published tools.
    pub(crate) catalogue: watch::Sender<Arc<Catalogue>>,
    calls: AtomicU64,
    /// A random name of this process, which distinguishes its calls from those of other processes.
    name: String,
}

/// The input for dispatching one call.
pub(crate) struct Dispatch<'a> {
    /// The number of the call in this process.
    pub(crate) id: u64,
    pub(crate) call: Call,
    /// The called tool or operation.
    pub(crate) requested: Requested<'a>,
    pub(crate) nested: Option<NestedLimits>,
    /// The gateway through which this call makes nested calls; `None` if it may not make any.
    pub(crate) gateway: Option<Arc<dyn CallGateway>>,
    /// For a nested call, the deadline of the call that made it.
    pub(crate) deadline: Option<Instant>,
}

/// The number of characters of a process's random name in the history, where they distinguish the calls of
/// different processes.
const NAME: usize = 6;

impl Dispatcher {
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

    /// Runs a call through every layer to its operation, and the result back through the layers.
    pub(crate) async fn run(&self, dispatch: Dispatch<'_>) -> Result<CallResult, CallError> {
        let Dispatch { id, call, requested, nested, gateway, deadline } = dispatch;
        let cause = Arc::new(self.cause(id, &requested, &call));
        let data = ReceivedCall { requested, origin: CallOrigin { cause, gateway, deadline } };
        let state: CallState<'_, Arrival> = CallState { id, call, nested, data };
        layers::run(&self.services, state).await
    }

    /// Returns the identity of the call, which the history records with each change that the call makes.
    fn cause(&self, id: u64, requested: &Requested<'_>, call: &Call) -> Cause {
        Cause {
            call: format!("{}-{id}", &self.name[..NAME]),
            tool: requested.tool().map_or(&call.tool, |published| &published.name).clone(),
            session: call.session.id().to_owned(),
            undoes: None,
        }
    }
}
