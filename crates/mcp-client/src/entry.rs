//! Configuration of upstream servers: the usual `mcpServers` object of a JSON file.

use serde::Deserialize;
use std::{collections::BTreeMap, path::PathBuf, time::Duration};
use thiserror::Error;
use toolpost_text::wildcard;

/// Default time limit for the start of a server and the list of its tools.
const START: Duration = Duration::from_secs(30);
/// Maximum length of a server name, which leaves room for the tool's name in the 64 characters of a published
/// name.
const NAME: usize = 32;

/// Error for a tool filter at the wrong level.
const MISPLACED: &str = "`allowedTools` is outside the servers' entries, where it has no effect: move it \
                         into the entry of a server, with that server's own tool names, or pass `--tools`, \
                         with names such as `mcp__name__*` and `!bash`";

/// An upstream server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Name of the server, which is a part of the published names of its tools.
    pub name: String,
    /// Program or URL through which Toolpost reaches the server.
    pub way: ServerTransport,
    /// Protocol era (with or without a handshake), if the file sets it.
    pub era: Option<Era>,
    /// Time limit for the start of the server and the list of its tools.
    pub start: Duration,
    /// Time limit of a call, if it is shorter than the call's own.
    pub call: Option<Duration>,
    /// Patterns of the published tools: server-side names, with `*` as wildcard and `!` for exclusion.
    pub tools: Option<Vec<String>>,
}

/// Transport of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerTransport {
    /// A program, over its standard streams.
    Program {
        /// Name or path of the program.
        command: String,
        /// Arguments of the program.
        arguments: Vec<String>,
        /// Environment variables, in addition to the standard ones.
        environment: BTreeMap<String, String>,
        /// Working directory; the first root by default.
        directory: Option<PathBuf>,
    },
    /// An HTTP server.
    Http {
        /// URL of the server.
        url: String,
        /// Headers of each request.
        headers: BTreeMap<String, String>,
    },
}

/// Era of the protocol: MCP revisions with a handshake, or without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Era {
    /// A revision with a handshake.
    Legacy,
    /// A revision without a handshake; each request is self-contained.
    Modern,
}

/// Error of a configuration file.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum EntryError {
    /// The file is not valid JSON, or has the wrong structure.
    #[error(
        "{file}: {problem}; the file should be like {{\"mcpServers\": {{\"name\": {{\"command\": \"…\", \
         \"args\": []}}}}}}"
    )]
    Shape {
        /// Path of the configuration file.
        file: String,
        /// The parser's message.
        problem: String,
    },
    /// The entry of a server is invalid.
    #[error("{file}: the entry of the server `{name}` is invalid: {problem}")]
    Server {
        /// Path of the configuration file.
        file: String,
        /// Name of the server.
        name: String,
        /// Description of the error in the entry.
        problem: String,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    #[serde(alias = "servers", alias = "mcp")]
    mcp_servers: BTreeMap<String, ServerEntry>,
    /// Rejected: a filter at this level would have no effect, although its author expects one.
    #[serde(alias = "allowed_tools")]
    allowed_tools: Option<serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ServerEntry {
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    cwd: Option<PathBuf>,
    #[serde(alias = "httpUrl", alias = "serverUrl")]
    url: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(rename = "type", alias = "transport")]
    kind: Option<String>,
    era: Option<Era>,
    #[serde(default)]
    disabled: bool,
    enabled: Option<bool>,
    /// In milliseconds.
    #[serde(alias = "startup_timeout_ms")]
    startup_timeout: Option<u64>,
    /// In milliseconds.
    timeout: Option<u64>,
    #[serde(alias = "includeTools", alias = "allowedMethods", alias = "enabled_tools")]
    allowed_tools: Option<Vec<String>>,
}

impl Entry {
    /// Returns whether a tool is published, by its server-side name.
    pub(super) fn takes(&self, tool: &str) -> bool {
        let picks = |list: &Vec<String>| wildcard::picks(list, |pattern| wildcard::matches(pattern, tool));
        self.tools.as_ref().is_none_or(picks)
    }
}

/// Parses a configuration file. `variable` returns environment variables for `${NAME}` and
/// `${NAME:-default}`. Disabled servers are left out.
///
/// # Errors
/// If the JSON is invalid, the entry of an enabled server is invalid, or a variable without a default is not set.
pub fn read(
    file: &str,
    text: &str,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Vec<Entry>, EntryError> {
    let parsed: File = serde_json::from_str(text)
        .map_err(|error| EntryError::Shape { file: file.to_owned(), problem: error.to_string() })?;
    if parsed.allowed_tools.is_some() {
        let problem = MISPLACED.to_owned();
        return Err(EntryError::Shape { file: file.to_owned(), problem });
    }
    let wanted = parsed
        .mcp_servers
        .into_iter()
        .filter(|(_, written)| !written.disabled && written.enabled != Some(false));
    wanted
        .map(|(name, written)| {
            entry(&name, written, &variable).map_err(|problem| EntryError::Server {
                file: file.to_owned(),
                name,
                problem,
            })
        })
        .collect()
}

fn entry(
    name: &str,
    written: ServerEntry,
    variable: &impl Fn(&str) -> Option<String>,
) -> Result<Entry, String> {
    let fits =
        |name: &str| name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter));
    if name.is_empty() || name.len() > NAME || !fits(name) || name.contains("__") {
        return Err(format!(
            "the name must consist of 1 to {NAME} letters, digits, `-` and single `_`, because tools are \
             called mcp__name__tool"
        ));
    }
    let expand = |text: &str| expanded(text, variable);
    let all = |map: &BTreeMap<String, String>| {
        map.iter().map(|(name, value)| Ok((name.clone(), expand(value)?))).collect::<Result<_, String>>()
    };
    let way = match (&written.command, &written.url) {
        (Some(_), Some(_)) => return Err("both `command` and `url` are set; set only one of them".to_owned()),
        (Some(command), None) => ServerTransport::Program {
            command: expand(command)?,
            arguments: written.args.iter().map(|argument| expand(argument)).collect::<Result<_, _>>()?,
            environment: all(&written.env)?,
            directory: written.cwd,
        },
        (None, Some(_)) if written.kind.as_deref() == Some("sse") => {
            return Err(
                "the old HTTP+SSE transport is not supported; set `url` to the server's Streamable HTTP \
                 endpoint"
                    .to_owned(),
            );
        }
        (None, Some(url)) => ServerTransport::Http { url: expand(url)?, headers: all(&written.headers)? },
        (None, None) => return Err("neither `command` nor `url` is set; set one of them".to_owned()),
    };
    Ok(Entry {
        name: name.to_owned(),
        way,
        era: written.era,
        start: written.startup_timeout.map_or(START, Duration::from_millis),
        call: written.timeout.map(Duration::from_millis),
        tools: written.allowed_tools,
    })
}

/// Substitutes environment variables; one that is not set and has no default is an error.
fn expanded(text: &str, variable: &impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        let Some(end) = after.find('}') else { break };
        let (name, default) = after[..end]
            .split_once(":-")
            .map_or((&after[..end], None), |(name, default)| (name, Some(default)));
        let value = variable(name).or_else(|| default.map(str::to_owned));
        let value = value.ok_or_else(|| {
            format!("the environment variable {name} is not set; set it, or write ${{{name}:-default}}")
        })?;
        whole.push_str(before);
        whole.push_str(&value);
        rest = &after[end + 1..];
    }
    whole.push_str(rest);
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    fn read_one(server: &str) -> Result<Vec<Entry>, EntryError> {
        let text = format!(r#"{{"mcpServers": {{"one": {server}}}}}"#);
        read("mcp.json", &text, |name| (name == "SET").then(|| "value".to_owned()))
    }

    fn program(command: &str, arguments: &[&str]) -> ServerTransport {
        ServerTransport::Program {
            command: command.to_owned(),
            arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
            environment: BTreeMap::new(),
            directory: None,
        }
    }

    #[test]
    fn common_forms_of_server_entries_are_parsed() {
        let http = |url: &str| ServerTransport::Http { url: url.to_owned(), headers: BTreeMap::new() };
        let rows = [
            (r#"{"command": "srv"}"#, program("srv", &[])),
            (
                r#"{"command": "srv", "args": ["-x", "${SET}"], "type": "stdio"}"#,
                program("srv", &["-x", "value"]),
            ),
            (r#"{"command": "${UNSET:-other}"}"#, program("other", &[])),
            (r#"{"command": "a${b"}"#, program("a${b", &[])),
            (r#"{"url": "http://127.0.0.1:1/mcp", "type": "http"}"#, http("http://127.0.0.1:1/mcp")),
            (r#"{"httpUrl": "https://a.example/mcp"}"#, http("https://a.example/mcp")),
        ];
        each(rows, |(written, way)| {
            let entry =
                Entry { name: "one".to_owned(), way, era: None, start: START, call: None, tools: None };
            assert_eq!(read_one(written), Ok(vec![entry]), "{written}");
        });
        assert_eq!(read_one(r#"{"command": "srv", "disabled": true}"#), Ok(Vec::new()));
        assert_eq!(read_one(r#"{"command": "srv", "enabled": false}"#), Ok(Vec::new()));
    }

    #[test]
    fn invalid_server_entries_fail_with_a_reason() {
        let rows = [
            ("{}", "neither `command` nor `url` is set; set one of them"),
            (r#"{"command": "a", "url": "b"}"#, "both `command` and `url` are set; set only one of them"),
            (
                r#"{"command": "${UNSET}"}"#,
                "the environment variable UNSET is not set; set it, or write ${UNSET:-default}",
            ),
            (
                r#"{"url": "http://a/sse", "type": "sse"}"#,
                "the old HTTP+SSE transport is not supported; set `url` to the server's Streamable HTTP \
                 endpoint",
            ),
        ];
        each(rows, |(written, problem)| {
            let wanted = EntryError::Server {
                file: "mcp.json".to_owned(),
                name: "one".to_owned(),
                problem: problem.to_owned(),
            };
            assert_eq!(read_one(written), Err(wanted), "{written}");
        });
        let bad = read("mcp.json", r#"{"mcpServers": {"a__b": {"command": "x"}}}"#, |_| None);
        assert!(matches!(bad, Err(EntryError::Server { .. })), "{bad:?}");
        let text = r#"{"mcpServers": {"one": {"command": "x"}}, "allowedTools": ["!x"]}"#;
        let misplaced = EntryError::Shape { file: "mcp.json".to_owned(), problem: MISPLACED.to_owned() };
        assert_eq!(read("mcp.json", text, |_| None), Err(misplaced));
        let bad = read("mcp.json", "[]", |_| None);
        assert!(matches!(bad, Err(EntryError::Shape { .. })), "{bad:?}");
    }
}
