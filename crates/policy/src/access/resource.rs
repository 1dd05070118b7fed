//! Resources of other programs that a call can use: editor actions and tools of upstream servers.

use schemars::JsonSchema;
use serde::Serialize;

/// An editor action, as rules name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EditorUse {
    /// Reads the open files, the cursor position and the selection.
    Look,
    /// Opens a file.
    Open,
    /// Moves the cursor.
    Goto,
    /// Replaces the selection.
    Replace,
    /// Inserts text.
    Insert,
}

impl EditorUse {
    /// Returns the keyword of the editor action in rules.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Look => "look",
            Self::Open => "open",
            Self::Goto => "goto",
            Self::Replace => "replace",
            Self::Insert => "insert",
        }
    }

    /// Describes the editor action, for users and models.
    #[must_use]
    pub fn shown(self) -> &'static str {
        match self {
            Self::Look => "see the open files and the selection",
            Self::Open => "open a file",
            Self::Goto => "move the cursor",
            Self::Replace => "replace the selection",
            Self::Insert => "insert text at the cursor",
        }
    }
}

/// A tool of an upstream MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct RemoteTool {
    /// The operator's name for the server.
    pub server: String,
    /// The server's name for the tool.
    pub tool: String,
}

impl RemoteTool {
    /// Returns the published name of the tool: `mcp__server__tool`.
    #[must_use]
    pub fn shown(&self) -> String {
        format!("mcp__{}__{}", self.server, self.tool)
    }
}
