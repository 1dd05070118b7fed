//! Replies of upstream tools, converted to content or a failure.

use super::{entry::Entry, fault};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use toolpost_engine::{Failure, Hint, Kind, RemoteTool, UpstreamPart};
use toolpost_text::{cut, escape};

/// Maximum size of a quoted error message.
const COMPLAINT: cut::Limit = cut::Limit { bytes: 8 * 1024, lines: 200 };

/// Converts the reply of an upstream tool to texts and images.
///
/// # Errors
/// `Remote` if the server reports a failure, with its message.
pub(super) fn pieces(
    entry: &Entry,
    tool: &RemoteTool,
    result: CallToolResult,
) -> Result<Vec<UpstreamPart>, Failure> {
    let mut pieces: Vec<UpstreamPart> = result.content.into_iter().map(piece).collect();
    if let (true, Some(structured)) = (pieces.is_empty(), result.structured_content) {
        pieces.push(UpstreamPart::Text { text: structured.to_string() });
    }
    if result.is_error != Some(true) {
        return Ok(pieces);
    }
    let words = pieces.iter().filter_map(|piece| match piece {
        UpstreamPart::Text { text } => Some(text.as_str()),
        UpstreamPart::Image { .. } => None,
    });
    Err(complaint(entry, tool, &words.collect::<Vec<_>>().join("\n")))
}

/// Creates the failure for a server's message, without the secrets of its configuration.
pub(super) fn complaint(entry: &Entry, tool: &RemoteTool, words: &str) -> Failure {
    let words = fault::without_secrets(entry, words);
    let words = if words.trim().is_empty() { "(no message)" } else { words.as_str() };
    let words = cut::head(words, COMPLAINT).map_or_else(|| words.to_owned(), |cut| cut.to_string());
    let what = format!(
        "The MCP server `{}` reports that its tool {} failed.",
        tool.server,
        escape::text(&tool.tool)
    );
    Failure::new(Kind::Remote, what).found(format!("The server's message:\n{words}")).hint(Hint::Advice(
        "Correct the arguments according to the server's message, or try another way.".to_owned(),
    ))
}

fn piece(block: ContentBlock) -> UpstreamPart {
    match block {
        ContentBlock::Text(text) => UpstreamPart::Text { text: text.text },
        ContentBlock::Image(image) => match STANDARD.decode(image.data.as_bytes()) {
            Ok(data) => UpstreamPart::Image { mime: image.mime_type, data },
            Err(_) => UpstreamPart::Text { text: "[an image with invalid base64]".to_owned() },
        },
        ContentBlock::Audio(audio) => UpstreamPart::Text {
            text: format!(
                "[audio, {}, about {} bytes, is not shown]",
                audio.mime_type,
                audio.data.len() / 4 * 3
            ),
        },
        ContentBlock::Resource(resource) => match resource.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => {
                UpstreamPart::Text { text: format!("{uri}:\n{text}") }
            }
            other => UpstreamPart::Text { text: format!("[a resource without text: {}]", uri(&other)) },
        },
        ContentBlock::ResourceLink(link) => {
            UpstreamPart::Text { text: format!("[{} at {}]", link.name, link.uri) }
        }
        _ => UpstreamPart::Text { text: "[content of an unknown type]".to_owned() },
    }
}

fn uri(contents: &ResourceContents) -> &str {
    match contents {
        ResourceContents::TextResourceContents { uri, .. }
        | ResourceContents::BlobResourceContents { uri, .. } => uri,
        _ => "of an unknown type",
    }
}
