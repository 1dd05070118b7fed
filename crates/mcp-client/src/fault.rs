//! Error messages about upstream servers, with secrets removed.

use super::entry::{Entry, ServerTransport};
use rmcp::{
    service::{ClientInitializeError, ServiceError},
    transport::streamable_http_client::StreamableHttpError,
};
use std::error::Error;
use toolpost_text::redact;

/// Minimum length of a configured value that is treated as a secret, in bytes.
const SHORT: usize = 8;
/// Parts of the names of environment variables whose values are secrets, in lower case.
const NAMES: [&str; 6] = ["key", "token", "secret", "pass", "auth", "credential"];
/// Minimum length of a value with letters and digits that is treated as a secret under any name, in bytes.
const LONG: usize = 16;
/// Replacement of a secret.
const MASK: &str = "[redacted]";

/// Describes a failed connection.
pub(super) fn opening(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::TransportError { error, .. } => sending(error.error.as_ref()),
        other => other.to_string(),
    }
}

/// Describes a request without a response.
pub(super) fn asking(error: &ServiceError) -> String {
    match error {
        ServiceError::TransportSend(error) => sending(error.error.as_ref()),
        ServiceError::TransportClosed => "the connection was closed".to_owned(),
        ServiceError::McpError(error) => error.message.to_string(),
        other => other.to_string(),
    }
}

/// Removes the configured secrets of a server from a text, if they have at least `SHORT` bytes. Servers often quote
/// them in errors.
pub(super) fn without_secrets(entry: &Entry, words: &str) -> String {
    let mut secrets = secrets(entry);
    secrets.retain(|secret| secret.len() >= SHORT);
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets.iter().fold(words.to_owned(), |words, secret| words.replace(secret.as_str(), MASK))
}

/// Removes the configured secrets of the server, and any text that looks like a secret, from an error message.
pub(super) fn shown(entry: &Entry, words: &str) -> String {
    redact::redact(&without_secrets(entry, words)).into_owned()
}

/// Returns the values of a server's configuration that may be secrets: those of headers and the URL's query, those of
/// environment variables if name or value look like one, and texts in arguments and in the URL that look like secrets.
fn secrets(entry: &Entry) -> Vec<String> {
    let (values, mut secrets): (Vec<&String>, Vec<String>) = match &entry.way {
        ServerTransport::Program { arguments, environment, .. } => {
            let line = arguments.join(" ");
            let values = environment.iter().filter(|(name, value)| is_secret(name, value));
            let texts = redact::secrets(&line).into_iter();
            (values.map(|(_, value)| value).collect(), texts.map(str::to_owned).collect())
        }
        ServerTransport::Http { url, headers } => {
            let query = url.split_once('?').map_or("", |(_, query)| query);
            let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            let texts = pairs.map(|(_, value)| value).chain(redact::secrets(url));
            (headers.values().collect(), texts.map(str::to_owned).collect())
        }
    };
    for value in values {
        secrets.extend([value.as_str(), last(value)].map(str::to_owned));
        secrets.extend(redact::secrets(value).into_iter().map(str::to_owned));
    }
    secrets
}

/// Checks whether the value of an environment variable may be a secret. Values such as `localhost`, `production` and
/// paths are not: without them, an error could not be understood.
fn is_secret(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let is_mixed = || {
        let has = |kind: fn(&u8) -> bool| value.as_bytes().iter().any(kind);
        has(u8::is_ascii_alphabetic) && has(u8::is_ascii_digit)
    };
    NAMES.iter().any(|part| name.contains(part))
        || !redact::secrets(value).is_empty()
        || (value.len() >= LONG && !value.starts_with('/') && is_mixed())
}

/// Returns the part of a credential after its scheme.
fn last(value: &str) -> &str {
    value.rsplit(' ').next().unwrap_or(value)
}

fn sending(error: &(dyn Error + Send + Sync + 'static)) -> String {
    let Some(error) = error.downcast_ref::<StreamableHttpError<reqwest::Error>>() else {
        return error.to_string();
    };
    match error {
        StreamableHttpError::Client(error) => connection(error),
        StreamableHttpError::AuthRequired(_) => {
            "the server answered HTTP 401 and requires credentials: set them in the `headers` of the \
             server's entry"
                .to_owned()
        }
        StreamableHttpError::InsufficientScope(_) => {
            "the server answered HTTP 403: the credentials in the `headers` of the server's entry are not \
             sufficient"
                .to_owned()
        }
        StreamableHttpError::UnexpectedContentType(kind) => {
            let kind = kind.as_deref().unwrap_or("no content type");
            format!("the server answered with {kind}, which is neither JSON nor an event stream")
        }
        StreamableHttpError::UnexpectedServerResponse(what) => {
            let what = what.trim_end_matches([':', ' ']);
            match what.split_at_checked(6) {
                Some(("HTTP 3", _)) => format!(
                    "the server answered {what}; redirects are not followed: put the target URL into the \
                     configuration file"
                ),
                Some(("HTTP 4" | "HTTP 5", _)) => format!("the server answered {what}"),
                _ => what.to_owned(),
            }
        }
        StreamableHttpError::HttpStatus(status) => format!("the server answered {status}"),
        other => other.to_string(),
    }
}

/// Describes a connection error without the URL, which may contain a secret.
fn connection(error: &reqwest::Error) -> String {
    let what = if error.is_connect() { "the server's URL cannot be reached" } else { "the connection broke" };
    let mut inner = error.source();
    while let Some(deeper) = inner.and_then(|error| error.source()) {
        inner = Some(deeper);
    }
    inner.map_or_else(|| what.to_owned(), |why| format!("{what}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;
    use toolpost_test_rows::each;

    #[test]
    fn configured_secrets_are_redacted_from_errors() {
        let http = r#"{"url": "http://u:url-password-1@h/mcp?key=query-key-1&v=2", "headers": {"Authorization": "Bearer header-key-1", "X": "short"}}"#;
        let program = r#"{"command": "srv", "args": ["--api-key", "argument-key-1", "directory-1"],
            "env": {"KEY": "variable-1", "DB": "db://u:db-password-1@h/d", "AUTH": "Bearer bearer-key-1", "X": "short",
            "HOST": "localhost", "MODE": "production", "DIRECTORY": "/home/me/project-1", "SESSION": "0a1b2c3d4e5f6a7b"}}"#;
        let rows = [
            (http, "Bearer header-key-1 is wrong", "[redacted] is wrong"),
            (http, "header-key-1, query-key-1, url-password-1", "[redacted], [redacted], [redacted]"),
            (http, "short of 2 keys", "short of 2 keys"),
            (program, "variable-1, bearer-key-1, Bearer bearer-key-1", "[redacted], [redacted], [redacted]"),
            (program, "db://u:db-password-1@h/d, db-password-1", "[redacted], [redacted]"),
            (program, "argument-key-1 in directory-1", "[redacted] in directory-1"),
            (program, "short of 2 keys", "short of 2 keys"),
            (program, "no localhost in production", "no localhost in production"),
            (program, "/home/me/project-1/a is missing", "/home/me/project-1/a is missing"),
            (program, "0a1b2c3d4e5f6a7b has ended", "[redacted] has ended"),
        ];
        each(rows, |(server, words, wanted)| {
            let text = format!(r#"{{"mcpServers": {{"one": {server}}}}}"#);
            let entries = read("mcp.json", &text, |_| None).expect("it is a file of servers");
            assert_eq!(without_secrets(&entries[0], words), wanted, "{words}");
        });
    }
}
