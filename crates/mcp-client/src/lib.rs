//! A client of MCP servers, whose tools are published along with those of Toolpost.
//!
//! [`read`] reads the usual `mcpServers` object. [`Bridge`] connects to the servers in the background,
//! publishes their tools through the runtime, and forwards calls. Error messages leave out the values of headers and of
//! the URL's query.
//!
//! ```
//! use toolpost_mcp_client::{ServerTransport, read};
//!
//! let text = r#"{ "mcpServers": { "search": { "url": "https://example.com/mcp", "headers": { "X-Key": "${KEY}" } } } }"#;
//! let entries = read("mcp.json", text, |name| (name == "KEY").then(|| "secret".to_owned()))?;
//! let ServerTransport::Http { headers, .. } = &entries[0].way else { panic!("it has a URL") };
//! assert_eq!((entries[0].name.as_str(), headers["X-Key"].as_str()), ("search", "secret"));
//! # Ok::<(), toolpost_mcp_client::EntryError>(())
//! ```

mod definitions;
mod entry;
mod fault;
mod http;
mod link;
mod reply;
mod server;

pub use entry::{Entry, EntryError, Era, ServerTransport, read};

use server::Server;
use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio_util::sync::CancellationToken;
use toolpost_engine::{AnswerFuture, Bridges, CallCtx, Failure, Kind, RemoteTool, UpstreamPart};
use toolpost_runtime::{Runtime, UpstreamToolDefinition};

/// Connections to the upstream MCP servers.
pub struct Bridge {
    servers: Vec<Arc<Server>>,
    /// Tools of each server, by its name.
    offered: Mutex<BTreeMap<String, Vec<UpstreamToolDefinition>>>,
    over: CancellationToken,
    begun: AtomicBool,
}

impl Bridge {
    /// Creates the bridge. Servers start in [`Bridge::begin`] or on the first call, with `home` as working
    /// directory.
    #[must_use]
    pub fn new(entries: Vec<Entry>, home: &Path) -> Arc<Self> {
        let servers = entries.into_iter().map(|entry| Arc::new(Server::new(entry, home.to_path_buf())));
        Arc::new(Self {
            servers: servers.collect(),
            offered: Mutex::default(),
            over: CancellationToken::new(),
            begun: AtomicBool::new(false),
        })
    }

    /// Connects to all servers in the background, and publishes their tools then and after every change; only the first
    /// call has an effect.
    pub fn begin(self: &Arc<Self>, runtime: &Arc<Runtime>) {
        if self.begun.swap(true, Ordering::AcqRel) {
            return;
        }
        runtime.connecting(self.servers.len());
        for server in &self.servers {
            let (bridge, server, runtime) = (self.clone(), server.clone(), Arc::downgrade(runtime));
            tokio::spawn(async move {
                tokio::select! {
                    () = bridge.keep(&server, &runtime) => {}
                    () = bridge.over.cancelled() => {}
                }
            });
        }
    }

    /// Returns for each server the number of its tools, or why it cannot be reached.
    pub async fn standing(&self) -> Vec<(String, Result<usize, Failure>)> {
        let mut standing = Vec::new();
        for server in &self.servers {
            let tools = server.tools().await;
            standing.push((server.entry.name.clone(), tools.map(|tools| tools.len())));
        }
        standing
    }

    async fn keep(&self, server: &Server, runtime: &Weak<Runtime>) {
        let first = server.tools().await;
        if let Err(failure) = &first {
            tracing::warn!(server = server.entry.name, "{}", failure.what);
        }
        self.offer(server, first.unwrap_or_default(), runtime);
        if let Some(runtime) = runtime.upgrade() {
            runtime.connected();
        }
        loop {
            server.changed.notified().await;
            match server.current().await {
                Ok(tools) => self.offer(server, tools, runtime),
                Err(failure) => tracing::warn!(server = server.entry.name, "{}", failure.what),
            }
        }
    }

    fn offer(&self, server: &Server, tools: Vec<UpstreamToolDefinition>, runtime: &Weak<Runtime>) {
        let all = {
            let mut offered = self.offered.lock().unwrap_or_else(PoisonError::into_inner);
            offered.insert(server.entry.name.clone(), tools);
            offered.values().flatten().cloned().collect()
        };
        if let Some(runtime) = runtime.upgrade() {
            runtime.publish(all);
        }
    }
}

impl Bridges for Bridge {
    fn call<'a>(
        &'a self,
        tool: &'a RemoteTool,
        arguments: &'a str,
        cx: &'a CallCtx,
    ) -> AnswerFuture<'a, Vec<UpstreamPart>> {
        Box::pin(async move {
            let server = self.servers.iter().find(|server| server.entry.name == tool.server);
            let server = server.ok_or_else(|| {
                Failure::new(Kind::NotFound, format!("No MCP server has the name `{}`.", tool.server))
            })?;
            let arguments = serde_json::from_str(arguments)
                .map_err(|error| Failure::invalid(format!("The arguments are not valid JSON: {error}.")))?;
            server.call(tool, arguments, cx).await
        })
    }

    fn end(&self) -> AnswerFuture<'_, ()> {
        Box::pin(async {
            self.over.cancel();
            for server in &self.servers {
                server.end().await;
            }
            Ok(())
        })
    }
}
