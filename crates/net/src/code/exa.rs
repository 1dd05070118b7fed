//! Exa, a code search service: one tool call to its MCP server, in a single request.

use serde::Deserialize;
use serde_json::json;

use super::events::events;
use super::{
    Answers, CodeSearchResponse, CodeSearchResult, Provider, Question, ResponseFault, ServiceRequest,
    ServiceResponse, web,
};

/// Request and response format of the Exa service.
#[derive(Debug)]
pub(super) struct Exa;

/// Name of the search tool of Exa's MCP server.
const TOOL: &str = "get_code_context_exa";
/// Minimum and maximum number of tokens of the answer that the tool accepts as its argument.
const TOKENS: (u64, u64) = (1_000, 50_000);
/// Start of the text that means an empty result, in lower case.
const NOTHING: &str = "no code snippets or documentation found";
/// Separator between search results in the text of the tool's answer.
const BETWEEN: &str = "\n\n---\n\n";

#[derive(Deserialize)]
struct Reply {
    result: Option<Outcome>,
    error: Option<Refusal>,
}

#[derive(Deserialize)]
struct Outcome {
    content: Vec<Piece>,
    #[serde(rename = "isError", default)]
    is_error: bool,
}

#[derive(Deserialize)]
struct Piece {
    #[serde(default)]
    text: String,
}

#[derive(Deserialize)]
struct Refusal {
    message: String,
}

impl Provider for Exa {
    fn name(&self) -> &'static str {
        "exa"
    }

    fn default_address(&self) -> &'static str {
        "https://mcp.exa.ai/mcp"
    }

    fn variables(&self) -> &'static [&'static str] {
        &["EXA_API_KEY"]
    }

    fn answers(&self) -> Answers {
        Answers::Everybody
    }

    fn key(&self, key: &str) -> (&'static str, String) {
        ("x-api-key", key.to_owned())
    }

    fn ask(&self, question: &Question<'_>) -> ServiceRequest {
        let tokens = question.tokens.clamp(TOKENS.0, TOKENS.1);
        let arguments = json!({ "query": question.words, "tokensNum": tokens });
        let params = json!({ "name": TOOL, "arguments": arguments });
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        ServiceRequest {
            body: Some(call.to_string()),
            accept: "application/json, text/event-stream",
            sent: question.words.to_owned(),
            ..ServiceRequest::default()
        }
    }

    fn read(&self, _base: &str, answer: &ServiceResponse<'_>) -> Result<CodeSearchResponse, ResponseFault> {
        let reply: Reply =
            if answer.body.trim_start().starts_with('{') { answer.json()? } else { streamed(answer)? };
        if let Some(refusal) = reply.error {
            return Err(ResponseFault::Said(refusal.message));
        }
        let Some(outcome) = reply.result else {
            return Err(ResponseFault::Form("the response has neither a result nor an error".to_owned()));
        };
        let pieces: Vec<&str> = outcome.content.iter().map(|piece| piece.text.trim()).collect();
        let text = pieces.join("\n\n");
        let text = text.trim();
        if outcome.is_error {
            return Err(ResponseFault::Said(text.to_owned()));
        }
        if text.is_empty() || text.to_lowercase().starts_with(NOTHING) {
            return Ok(CodeSearchResponse::default());
        }
        Ok(CodeSearchResponse {
            findings: parts(text).into_iter().map(finding).collect(),
            ..CodeSearchResponse::default()
        })
    }
}

/// Finds the JSON-RPC reply in a stream of server-sent events.
fn streamed(answer: &ServiceResponse<'_>) -> Result<Reply, ResponseFault> {
    let replies =
        events(answer.body).into_iter().filter_map(|event| serde_json::from_str::<Reply>(&event.data).ok());
    let mut replies = replies.filter(|reply| reply.result.is_some() || reply.error.is_some());
    let none = || {
        answer.broken.unwrap_or("the response is neither JSON nor a stream of events with a reply").to_owned()
    };
    replies.next().ok_or_else(|| ResponseFault::Form(none()))
}

/// Splits the text of the tool's answer into results. A separator counts only if a new result follows it, because the
/// same line can also occur within a result.
fn parts(text: &str) -> Vec<&str> {
    let (mut out, mut from) = (Vec::new(), 0);
    for (at, _) in text.match_indices(BETWEEN) {
        let next = at + BETWEEN.len();
        if text[next..].starts_with("Title: ") {
            out.push(&text[from..at]);
            from = next;
        }
    }
    out.push(&text[from..]);
    out
}

/// Parses one result: a header with title and URL, if present, and the text.
fn finding(part: &str) -> CodeSearchResult {
    let (mut title, mut url, mut rest) = (None, None, part);
    loop {
        let (line, behind) = rest.split_once('\n').unwrap_or((rest, ""));
        if let Some(said) = line.strip_prefix("Title: ") {
            title = Some(said.trim().to_owned()).filter(|title| !title.is_empty() && title != "N/A");
        } else if let Some(said) = line.strip_prefix("URL: ") {
            url = web(said.trim());
        } else if line.trim() != "Code/Highlights:" || rest == behind {
            break;
        }
        rest = behind;
    }
    let text = rest.strip_prefix("Text: ").unwrap_or(rest).trim_matches('\n').to_owned();
    CodeSearchResult { title, url, text }
}
