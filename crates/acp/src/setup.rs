//! Launch parameters of an external agent.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

/// Name under which the agent gets Toolpost's MCP server. It differs from `toolpost`, which the user may already have
/// configured there.
pub const SERVER: &str = "toolpost-acp";

/// Launch parameters of an external agent.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Program and arguments.
    pub command: Vec<String>,
    /// Environment variables, in addition to the standard ones.
    pub environment: BTreeMap<String, String>,
    /// Roots of the workspace; the agent starts in the first one.
    pub roots: Vec<PathBuf>,
    /// Command of Toolpost's MCP server.
    pub handed: ServerCommand,
    /// Permissions that the agent gets on request.
    pub may: AgentPermissions,
    /// Maximum time without a message, unless a tool is running.
    pub idle: Duration,
}

/// Command of Toolpost's MCP server for the agent.
#[derive(Debug, Clone, Default)]
pub struct ServerCommand {
    /// Path of the program.
    pub program: PathBuf,
    /// Arguments of the program.
    pub arguments: Vec<String>,
    /// Names or patterns of the served tools; empty for all.
    pub tools: Vec<String>,
    /// Environment variables, in addition to the agent's.
    pub environment: BTreeMap<String, String>,
}

/// Permissions that an agent gets on request. Actions without a request are not controlled here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentPermissions {
    /// Read, with Toolpost's tools and the agent's own.
    Read,
    /// Read, and change files with Toolpost's tools as the policy allows.
    Write,
    /// Everything, including actions that bypass Toolpost's tools and policy.
    All,
}

impl AgentPermissions {
    /// All permissions, narrowest first.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::All];

    /// Returns the value of the setting `acp_may`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::All => "all",
        }
    }
}

impl Setup {
    /// Returns the command line, with secrets redacted.
    #[must_use]
    pub fn shown(&self) -> String {
        toolpost_text::redact::redact(&self.command.join(" ")).into_owned()
    }
}
