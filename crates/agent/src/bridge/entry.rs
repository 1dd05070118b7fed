//! Which servers are bridged: the customary `mcpServers` of a JSON file.

use serde::Deserialize;
use std::{collections::BTreeMap, path::PathBuf, time::Duration};
use thiserror::Error;
use toolpost_text::wildcard;

/// How long a server has to start and to list its tools, where the file says nothing.
const START: Duration = Duration::from_secs(30);
/// The longest name of a server: longer ones leave no room for the tool's.
const NAME: usize = 32;

/// What is said where tools are narrowed in a place that narrows nothing.
const MISPLACED: &str = "`allowedTools` stands beside the servers, where it narrows nothing: write it into a server, with that server's \
    own names, or give `--tools`, with names such as `mcp__name__*` and `!bash`";

/// One server that is bridged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name under which its tools are published.
    pub name: String,
    /// How it is reached.
    pub way: Way,
    /// Which era of the protocol it speaks, where the file says so.
    pub era: Option<Era>,
    /// How long it has to start and to list its tools.
    pub start: Duration,
    /// How long a call of it may take, where that is less than the call's own time.
    pub call: Option<Duration>,
    /// Its own names of the tools that are published, `*` for any part and `!` in front for what is left out.
    pub tools: Option<Vec<String>>,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// It is started, and spoken to through its pipes.
    Program {
        /// The program.
        command: String,
        /// Its arguments.
        arguments: Vec<String>,
        /// What its environment has beside the customary.
        environment: BTreeMap<String, String>,
        /// Where it starts; else in the first root.
        directory: Option<PathBuf>,
    },
    /// It listens.
    Http {
        /// Its address.
        url: String,
        /// What each request carries.
        headers: BTreeMap<String, String>,
    },
}

/// An era of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Era {
    /// A handshake opens the connection.
    Legacy,
    /// Each request describes itself.
    Modern,
}

/// Why a file of servers cannot be used.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum EntryError {
    /// It is not JSON of the right shape.
    #[error(
        "{file}: {problem}; it should be like {{\"mcpServers\": {{\"name\": {{\"command\": \"…\", \"args\": []}}}}}}"
    )]
    Shape {
        /// The file.
        file: String,
        /// What the parser said.
        problem: String,
    },
    /// One of its servers cannot be used.
    #[error("{file}: the server `{name}` {problem}")]
    Server {
        /// The file.
        file: String,
        /// The server.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    #[serde(alias = "servers", alias = "mcp")]
    mcp_servers: BTreeMap<String, Written>,
    /// It would narrow nothing here, and whoever wrote it thinks that it does.
    #[serde(alias = "allowed_tools")]
    allowed_tools: Option<serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
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
    /// Milliseconds.
    #[serde(alias = "startup_timeout_ms")]
    startup_timeout: Option<u64>,
    /// Milliseconds.
    timeout: Option<u64>,
    #[serde(alias = "includeTools", alias = "allowedMethods", alias = "enabled_tools")]
    allowed_tools: Option<Vec<String>>,
}

impl Entry {
    /// Tells whether a tool of the server is wanted, by the server's own name for it.
    pub(super) fn takes(&self, tool: &str) -> bool {
        let picks = |list: &Vec<String>| wildcard::picks(list, |pattern| wildcard::matches(pattern, tool));
        self.tools.as_ref().is_none_or(picks)
    }
}

/// Reads the servers of a file; `variable` gives the environment's variables, which stand in it as `${NAME}` or
/// `${NAME:-else}`. Servers that are switched off are not among them.
///
/// # Errors
/// When it is not JSON of that shape, a server has neither a command nor an address, or a variable is not set.
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

fn entry(name: &str, written: Written, variable: &impl Fn(&str) -> Option<String>) -> Result<Entry, String> {
    let fits =
        |name: &str| name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter));
    if name.is_empty() || name.len() > NAME || !fits(name) || name.contains("__") {
        return Err(format!(
            "must have a name of 1 to {NAME} letters, digits, `-` and single `_`, since its tools are called mcp__name__tool"
        ));
    }
    let expand = |text: &str| expanded(text, variable);
    let all = |map: &BTreeMap<String, String>| {
        map.iter().map(|(name, value)| Ok((name.clone(), expand(value)?))).collect::<Result<_, String>>()
    };
    let way = match (&written.command, &written.url) {
        (Some(_), Some(_)) => return Err("has both a command and a url; give one of them".to_owned()),
        (Some(command), None) => Way::Program {
            command: expand(command)?,
            arguments: written.args.iter().map(|argument| expand(argument)).collect::<Result<_, _>>()?,
            environment: all(&written.env)?,
            directory: written.cwd,
        },
        (None, Some(_)) if written.kind.as_deref() == Some("sse") => {
            return Err(
                "speaks the old HTTP+SSE transport; give the address of its Streamable HTTP endpoint"
                    .to_owned(),
            );
        }
        (None, Some(url)) => Way::Http { url: expand(url)?, headers: all(&written.headers)? },
        (None, None) => return Err("has neither a command nor a url; give one of them".to_owned()),
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

/// Puts the variables of the environment in; one that is not set and has nothing in its place is an error.
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
            format!("names the variable {name}, which is not set; set it, or write ${{{name}:-else}}")
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

    fn read_one(server: &str) -> Result<Vec<Entry>, EntryError> {
        let text = format!(r#"{{"mcpServers": {{"one": {server}}}}}"#);
        read("mcp.json", &text, |name| (name == "SET").then(|| "value".to_owned()))
    }

    fn program(command: &str, arguments: &[&str]) -> Way {
        Way::Program {
            command: command.to_owned(),
            arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
            environment: BTreeMap::new(),
            directory: None,
        }
    }

    #[test]
    fn servers_are_read_as_they_are_customarily_written() {
        let http = |url: &str| Way::Http { url: url.to_owned(), headers: BTreeMap::new() };
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
        for (written, way) in rows {
            let entry =
                Entry { name: "one".to_owned(), way, era: None, start: START, call: None, tools: None };
            assert_eq!(read_one(written), Ok(vec![entry]), "{written}");
        }
        assert_eq!(read_one(r#"{"command": "srv", "disabled": true}"#), Ok(Vec::new()));
        assert_eq!(read_one(r#"{"command": "srv", "enabled": false}"#), Ok(Vec::new()));
    }

    #[test]
    fn what_cannot_be_used_is_said() {
        let rows = [
            ("{}", "has neither a command nor a url; give one of them"),
            (r#"{"command": "a", "url": "b"}"#, "has both a command and a url; give one of them"),
            (
                r#"{"command": "${UNSET}"}"#,
                "names the variable UNSET, which is not set; set it, or write ${UNSET:-else}",
            ),
            (
                r#"{"url": "http://a/sse", "type": "sse"}"#,
                "speaks the old HTTP+SSE transport; give the address of its Streamable HTTP endpoint",
            ),
        ];
        for (written, problem) in rows {
            let wanted = EntryError::Server {
                file: "mcp.json".to_owned(),
                name: "one".to_owned(),
                problem: problem.to_owned(),
            };
            assert_eq!(read_one(written), Err(wanted), "{written}");
        }
        let bad = read("mcp.json", r#"{"mcpServers": {"a__b": {"command": "x"}}}"#, |_| None);
        assert!(matches!(bad, Err(EntryError::Server { .. })), "{bad:?}");
        let text = r#"{"mcpServers": {"one": {"command": "x"}}, "allowedTools": ["!x"]}"#;
        let misplaced = EntryError::Shape { file: "mcp.json".to_owned(), problem: MISPLACED.to_owned() };
        assert_eq!(read("mcp.json", text, |_| None), Err(misplaced));
        let bad = read("mcp.json", "[]", |_| None);
        assert!(matches!(bad, Err(EntryError::Shape { .. })), "{bad:?}");
    }
}
