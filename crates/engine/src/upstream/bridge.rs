//! `bridge`: a tool of another server is called.

use super::Piece;
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

/// Calls a tool of another server.
pub struct Bridge;

/// Which tool, and with what.
#[derive(Debug, Clone)]
pub struct Request {
    /// The tool.
    pub tool: RemoteTool,
    /// The arguments, a JSON object as text.
    pub arguments: String,
}

/// What the server answered.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The tool.
    pub tool: RemoteTool,
    /// The answer, piece by piece.
    pub content: Vec<Piece>,
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
