//! The list of tools as clients get it, and word of each change of it.

use super::definition::{Load, Reach, core, definition};
use crate::wire::Ends;
use rmcp::{
    Peer, RoleServer,
    model::Tool,
    service::{SubscriptionContext, SubscriptionSink},
};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::time::timeout;
use toolpost_runtime::{Catalogue, Published, Runtime};

/// How long the first list waits for other servers that are still being connected.
const PATIENCE: Duration = Duration::from_millis(2_500);

/// The list of tools as clients get it.
pub(super) struct Listing {
    runtime: Arc<Runtime>,
    /// The definitions that were made last, and of what.
    made: Mutex<Option<(Arc<Catalogue>, Vec<Tool>)>>,
}

/// Where a client hears of changes: in the legacy era on the connection, in the modern one where it subscribed.
enum Ear<'a> {
    Peer(Peer<RoleServer>),
    Sink(&'a SubscriptionSink),
}

impl Listing {
    /// Lists the tools of a runtime.
    pub(super) fn of(runtime: Arc<Runtime>) -> Self {
        Self { runtime, made: Mutex::default() }
    }

    /// Gives the tools that are published now; waits a little for servers that are being connected.
    pub(super) async fn now(&self) -> Vec<Tool> {
        // What is not there by then is told of as a change.
        timeout(PATIENCE, self.runtime.settled()).await.ok();
        let catalogue = self.runtime.catalogue();
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, tools)) = &*made
            && Arc::ptr_eq(of, &catalogue)
        {
            return tools.clone();
        }
        let config = self.runtime.config();
        let service = self.runtime.engine().service();
        let reach = if service.is_some() { Reach::Service } else { Reach::Nobody };
        let core = core(&catalogue);
        let load =
            |tool: &Published| if core.contains(tool.name.as_str()) { Load::Always } else { Load::Later };
        let tools: Vec<Tool> =
            catalogue.listed().map(|tool| definition(tool, config, reach, load(tool))).collect();
        *made = Some((catalogue, tools.clone()));
        tools
    }

    /// Tells a client of the legacy era about each change, beside all else, until the connection ends.
    pub(super) fn tell(&self, peer: Peer<RoleServer>, ends: &Ends) {
        let (runtime, ends) = (self.runtime.clone(), ends.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = telling(&runtime, Ear::Peer(peer)) => {}
                () = ends.closing.cancelled() => {}
                () = ends.gone.cancelled() => {}
            }
        });
    }

    /// Tells a subscription about each change, until it ends.
    pub(super) async fn tell_subscription(&self, context: &SubscriptionContext, ends: &Ends) {
        tokio::select! {
            () = context.cancelled() => {}
            () = ends.closing.cancelled() => {}
            () = telling(&self.runtime, Ear::Sink(context.sink())) => {}
        }
    }
}

/// Tells of each change, as long as the client is there.
async fn telling(runtime: &Runtime, ear: Ear<'_>) {
    let mut changes = runtime.changes();
    while changes.changed().await.is_ok() {
        match &ear {
            Ear::Peer(peer) if peer.notify_tool_list_changed().await.is_err() => return,
            Ear::Peer(_) => {}
            // It fails where the client subscribed to something else: then it is not told, and that is all.
            Ear::Sink(sink) => drop(sink.notify_tool_list_changed().await),
        }
    }
}
