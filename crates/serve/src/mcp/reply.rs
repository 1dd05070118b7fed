//! The outcome of a call in the words of the protocol.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rmcp::model::{CallToolResult, ContentBlock};
use toolpost_runtime::Answer;
use toolpost_tool::Part;

/// Words a call that was done.
pub(super) fn done(mut answer: Answer) -> CallToolResult {
    let structured = answer.structured.take();
    let mut result = CallToolResult::success(content(answer));
    result.is_error = None;
    result.structured_content = structured;
    result
}

/// Words a call that was not done; the model reads why.
pub(super) fn failed(answer: Answer) -> CallToolResult {
    CallToolResult::error(content(answer))
}

fn content(answer: Answer) -> Vec<ContentBlock> {
    let block = |part| match part {
        Part::Text(text) => ContentBlock::text(text),
        Part::Image { mime, data } => ContentBlock::image(STANDARD.encode(data), mime),
    };
    answer.parts.into_iter().map(block).collect()
}
