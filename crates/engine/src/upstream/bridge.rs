//! The `bridge` operation: calls a tool of an upstream MCP server.

use super::UpstreamPart;
use crate::access::resource::RemoteTool;
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::Failure,
    operation::Operation,
    upstream::UpstreamAccess,
};
use schemars::JsonSchema;
use serde::Serialize;

/// The `bridge` operation, which calls a tool of an upstream MCP server.
pub struct Bridge;

/// A request to call a tool of an upstream MCP server.
#[derive(Debug, Clone)]
pub struct Request {
    /// The tool to call.
    pub tool: RemoteTool,
    /// The arguments, a JSON object as text.
    pub arguments: String,
}

/// A server's answer to a tool call.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The called tool.
    pub tool: RemoteTool,
    /// Parts of the answer.
    pub content: Vec<UpstreamPart>,
}

impl Operation for Bridge {
    const NAME: &'static str = "bridge";
    const ACCESS: &'static [Access] = &[Access::Bridges];
    type Capability = UpstreamAccess;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        vec![Touch::Bridge(request.tool.clone())]
    }

    async fn run(upstream: &UpstreamAccess, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        let content = upstream.bridges()?.call(&request.tool, &request.arguments, cx).await?;
        Ok(Output { tool: request.tool, content })
    }
}
