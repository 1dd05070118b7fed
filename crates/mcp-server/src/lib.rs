//! MCP server over standard input and output, or over any pair of streams.
//!
//! A program passes its open `&Toolpost` (crate `toolpost`) to [`stdio`] or [`connection`]. This example builds the runtime
//! from its parts instead, and serves it to a client in the same process:
//!
//! ```
//! use serde_json::{Value, json};
//! use std::sync::Arc;
//! use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, duplex, split};
//! use toolpost_engine::Engine;
//! use toolpost_mcp_server::{Options, connection};
//! use toolpost_runtime::{Config, ToolSelection, Policy, Runtime, StructuredOutput, Verdict};
//! use toolpost_workspace::Workspace;
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let roots = vec![std::env::current_dir()?];
//! let (workspace, _) = Workspace::open(toolpost_workspace::Options { roots, ..Default::default() })?;
//! let config = Config {
//!     dialects: Vec::new(),
//!     narrow: ToolSelection::default(),
//!     policy: Policy::built_in()?,
//!     deadline: None,
//!     reply_bytes: None,
//!     structured: StructuredOutput::Off,
//! };
//! let runtime = Runtime::new(Engine::new(workspace), config)?;
//! let options = Options::new("shelf", "1.2.3", Arc::new(Verdict::Deny("No user is here.".to_owned())));
//!
//! let (client, server) = duplex(64 * 1024);
//! let (input, output) = split(server);
//! let serving = tokio::spawn(connection(runtime, options, input, output));
//!
//! let (replies, mut requests) = split(client);
//! let initialize = json!({
//!     "jsonrpc": "2.0", "id": 1, "method": "initialize",
//!     "params": {
//!         "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "client", "version": "1" },
//!     },
//! });
//! requests.write_all(format!("{initialize}\n").as_bytes()).await?;
//! let mut replies = BufReader::new(replies).lines();
//! let reply: Value = serde_json::from_str(&replies.next_line().await?.expect("a reply"))?;
//! assert_eq!(reply["result"]["serverInfo"]["name"], "shelf");
//! drop((replies, requests)); // the client disconnects
//! serving.await??;
//! # Ok(())
//! # }
//! ```

mod connection;
mod error;
#[doc(hidden)]
pub mod fuzzing;
mod mcp;
mod options;
mod wire;

pub use connection::{connection, stdio};
pub use error::ServeError;
pub use options::Options;
