//! The tools of other servers, as far as the engine knows them.

pub mod bridge;

use crate::{
    agents::Asking,
    call::CallCtx,
    failure::{Failure, Hint, Kind},
};
use schemars::JsonSchema;
use serde::Serialize;

/// A tool of another server.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct RemoteTool {
    /// The name under which the operator knows the server.
    pub server: String,
    /// The name that the server has for the tool.
    pub tool: String,
}

impl RemoteTool {
    /// Names the tool as it is published: `mcp__server__tool`.
    #[must_use]
    pub fn shown(&self) -> String {
        format!("mcp__{}__{}", self.server, self.tool)
    }
}

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

/// Says that there is no way to other servers.
pub(crate) fn none() -> Failure {
    Failure::new(Kind::NotFound, "No other server is connected here.").hint(Hint::Advice(
        "Do it with the other tools; the user connects servers by --mcp-config.".to_owned(),
    ))
}
