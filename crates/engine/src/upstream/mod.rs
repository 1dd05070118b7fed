//! The tools of other servers, as far as the engine knows them.

pub mod bridge;

use crate::{
    access::resource::RemoteTool,
    call::{Asking, CallCtx},
    failure::{Failure, Hint, Kind},
};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// A piece of what another server answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Piece {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// A picture.
    Image {
        /// The media type.
        mime: String,
        /// The file's bytes.
        #[serde(skip)]
        #[schemars(skip)]
        data: Vec<u8>,
    },
}

/// The way to other servers.
pub trait Bridges: Send + Sync {
    /// Calls a tool with arguments that are a JSON object, in the time of a call.
    fn call<'a>(
        &'a self,
        tool: &'a RemoteTool,
        arguments: &'a str,
        cx: &'a CallCtx,
    ) -> Asking<'a, Vec<Piece>>;

    /// Ends the servers that were started here, and starts no more.
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
