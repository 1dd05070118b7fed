//! Resources of other programs that a call can use: acts of an editor and tools of upstream servers.

use schemars::JsonSchema;
use serde::Serialize;

/// What a call would do to an editor, as rules speak of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EditorUse {
    /// See what is open, where the cursor stands, what is selected.
    Look,
    /// Open a file.
    Open,
    /// Move the cursor.
    Goto,
    /// Replace what is selected.
    Replace,
    /// Insert text.
    Insert,
}

impl EditorUse {
    /// Gives the word that rules have for it.
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

    /// Says what is done, for people and models.
    pub(crate) fn shown(self) -> &'static str {
        match self {
            Self::Look => "see what is open and selected",
            Self::Open => "open a file",
            Self::Goto => "move the cursor",
            Self::Replace => "replace what is selected",
            Self::Insert => "insert text at the cursor",
        }
    }
}

/// A tool of another server.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct RemoteTool {
    /// The name under which the operator knows the server.
    pub server: String,
    /// The name that the server has for the tool.
    pub tool: String,
}

impl RemoteTool {
    /// Names the tool as it is published: `mcp__server__tool`.
    #[must_use]
    pub fn shown(&self) -> String {
        format!("mcp__{}__{}", self.server, self.tool)
    }
}
