//! The list of tools for clients, and notifications of changes to it.

use super::definition::{CodeSearchPresence, Load, core, definition};
use crate::wire::ConnectionEnd;
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

/// Maximum time that a request for the list waits for upstream servers that are still being connected.
const PATIENCE: Duration = Duration::from_millis(2_500);

/// The list of tools for clients.
pub(super) struct Listing {
    runtime: Arc<Runtime>,
    /// The most recent definitions, and the catalogue that they were created from.
    cached: Mutex<Option<(Arc<Catalogue>, Vec<Tool>)>>,
}

/// The channel for notifications of changes to the tool list: the connection in the legacy era, a subscription
/// in the modern one.
enum NotificationChannel<'a> {
    Peer(Peer<RoleServer>),
    Sink(&'a SubscriptionSink),
}

impl Listing {
    /// Creates the list for a runtime.
    pub(super) fn of(runtime: Arc<Runtime>) -> Self {
        Self { runtime, cached: Mutex::default() }
    }

    /// Waits briefly for servers that are being connected, and returns the tools that are then published.
    pub(super) async fn now(&self) -> Vec<Tool> {
        // Tools of servers that connect later are announced as a change.
        timeout(PATIENCE, self.runtime.settled()).await.ok();
        let catalogue = self.runtime.catalogue();
        let mut cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, tools)) = &*cached
            && Arc::ptr_eq(of, &catalogue)
        {
            return tools.clone();
        }
        let config = self.runtime.config();
        let service = self.runtime.engine().service();
        let reach = if service.is_some() { CodeSearchPresence::Service } else { CodeSearchPresence::Nobody };
        let core = core(&catalogue);
        let load =
            |tool: &Published| if core.contains(tool.name.as_str()) { Load::Always } else { Load::Later };
        let tools: Vec<Tool> =
            catalogue.listed().map(|tool| definition(tool, config, reach, load(tool))).collect();
        *cached = Some((catalogue, tools.clone()));
        tools
    }

    /// Notifies a client of the legacy era of each change to the tool list, in the background, until the
    /// connection ends.
    pub(super) fn tell(&self, peer: Peer<RoleServer>, ends: &ConnectionEnd) {
        let (runtime, ends) = (self.runtime.clone(), ends.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = telling(&runtime, NotificationChannel::Peer(peer)) => {}
                () = ends.closing.cancelled() => {}
                () = ends.gone.cancelled() => {}
            }
        });
    }

    /// Notifies a subscription of each change to the tool list, until the subscription ends.
    pub(super) async fn tell_subscription(&self, context: &SubscriptionContext, ends: &ConnectionEnd) {
        tokio::select! {
            () = context.cancelled() => {}
            () = ends.closing.cancelled() => {}
            () = telling(&self.runtime, NotificationChannel::Sink(context.sink())) => {}
        }
    }
}

/// Sends a notification of each change to the tool list, while the client is connected.
async fn telling(runtime: &Runtime, ear: NotificationChannel<'_>) {
    let mut changes = runtime.changes();
    while changes.changed().await.is_ok() {
        match &ear {
            NotificationChannel::Peer(peer) if peer.notify_tool_list_changed().await.is_err() => return,
            NotificationChannel::Peer(_) => {}
            // The notification fails if the client subscribed to something else; then none is needed.
            NotificationChannel::Sink(sink) => drop(sink.notify_tool_list_changed().await),
        }
    }
}
