//! The engine's interface to upstream MCP servers.

pub mod bridge;

use crate::{
    access::resource::RemoteTool,
    call::{Asking, CallCtx},
    failure::{Failure, Hint, Kind},
};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// A part of an upstream server's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Piece {
    /// A text.
    Text {
        /// The text.
        text: String,
    },
    /// An image.
    Image {
        /// The media type.
        mime: String,
        /// The file's bytes.
        #[serde(skip)]
        #[schemars(skip)]
        data: Vec<u8>,
    },
}

/// Connections to upstream servers.
pub trait Bridges: Send + Sync {
    /// Calls a tool within the time of a call; the arguments are a JSON object.
    fn call<'a>(
        &'a self,
        tool: &'a RemoteTool,
        arguments: &'a str,
        cx: &'a CallCtx,
    ) -> Asking<'a, Vec<Piece>>;

    /// Stops the servers that this process started, and starts no more.
    fn end(&self) -> Asking<'_, ()>;
}

/// Upstream servers. Clones share their state.
#[derive(Clone)]
pub struct UpstreamAccess {
    bridges: Option<Arc<dyn Bridges>>,
}

impl UpstreamAccess {
    /// Opens the capability.
    pub(crate) fn new(bridges: Option<Arc<dyn Bridges>>) -> Self {
        Self { bridges }
    }

    /// Connections to upstream servers.
    ///
    /// # Errors
    /// `NotFound` if there is none.
    pub(crate) fn bridges(&self) -> Result<Arc<dyn Bridges>, Failure> {
        self.bridges.clone().ok_or_else(|| {
            Failure::new(Kind::NotFound, "No other server is connected here.").hint(Hint::Advice(
                "Do it with the other tools; the user connects servers by --mcp-config.".to_owned(),
            ))
        })
    }
}
