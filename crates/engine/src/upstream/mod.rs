//! The engine's interface to upstream MCP servers.

pub mod bridge;

use crate::{
    access::resource::RemoteTool,
    call::{AnswerFuture, CallCtx},
    failure::{Failure, Hint, Kind},
};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// A part of an upstream tool's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum UpstreamPart {
    /// Text.
    Text {
        /// The part's text.
        text: String,
    },
    /// An image.
    Image {
        /// The image's media type.
        mime: String,
        /// The bytes of the image file.
        #[serde(skip)]
        #[schemars(skip)]
        data: Vec<u8>,
    },
}

/// Connections to upstream MCP servers.
pub trait Bridges: Send + Sync {
    /// Calls a tool within the time limit of the call `cx`; `arguments` is a JSON object as text.
    fn call<'a>(
        &'a self,
        tool: &'a RemoteTool,
        arguments: &'a str,
        cx: &'a CallCtx,
    ) -> AnswerFuture<'a, Vec<UpstreamPart>>;

    /// Stops the upstream servers that this process started, and prevents further starts.
    fn end(&self) -> AnswerFuture<'_, ()>;
}

/// The capability to call tools of upstream MCP servers. Clones share their state.
#[derive(Clone)]
pub struct UpstreamAccess {
    bridges: Option<Arc<dyn Bridges>>,
}

impl UpstreamAccess {
    pub(crate) fn new(bridges: Option<Arc<dyn Bridges>>) -> Self {
        Self { bridges }
    }

    /// Returns the connections to upstream MCP servers.
    ///
    /// # Errors
    /// `NotFound` if no upstream server is connected.
    pub(crate) fn bridges(&self) -> Result<Arc<dyn Bridges>, Failure> {
        self.bridges.clone().ok_or_else(|| {
            Failure::new(Kind::NotFound, "No upstream MCP server is connected.").hint(Hint::Advice(
                "Use the other tools; the user connects servers with --mcp-config.".to_owned(),
            ))
        })
    }
}
