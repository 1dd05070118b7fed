//! Outcomes of calls in the types of the protocol.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rmcp::model::{CallToolResult, ContentBlock};
use toolpost_runtime::ToolReply;
use toolpost_tool::ReplyPart;

/// Converts the reply of a call; the reply of a script that stopped is marked as an error.
pub(super) fn done(mut answer: ToolReply) -> CallToolResult {
    let structured = answer.structured.take();
    let is_error = answer.is_error().then_some(true);
    let mut result = CallToolResult::success(content(answer));
    result.is_error = is_error;
    result.structured_content = structured;
    result
}

/// Converts a failed call; the model reads the reason.
pub(super) fn failed(answer: ToolReply) -> CallToolResult {
    CallToolResult::error(content(answer))
}

fn content(answer: ToolReply) -> Vec<ContentBlock> {
    let block = |part| match part {
        ReplyPart::Text(text) => ContentBlock::text(text),
        ReplyPart::Image { mime, data } => ContentBlock::image(STANDARD.encode(data), mime),
    };
    answer.parts.into_iter().map(block).collect()
}
