//! Resources that a call would read, write, run, fetch or otherwise use.

pub mod command;
pub mod resource;

use command::{Command, Host};
use resource::{EditorUse, RemoteTool};
use toolpost_workspace::WorkspacePath;

/// One access that a call would make, with its target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Touch {
    /// Reads a file, or the content of a directory.
    Read(WorkspacePath),
    /// Writes a file; the extent is the part of the file that is replaced.
    Write(WorkspacePath, Extent),
    /// Runs a command. The accesses of the command are derived from its arguments.
    Execute(Command),
    /// Fetches from a network host.
    Fetch(Host),
    /// Queries a service that the operator configured in the settings.
    Consult(Host),
    /// Calls a tool of an upstream MCP server, whose effects are unknown.
    Bridge(RemoteTool),
    /// Delegates part of the work to the agent with this name. Each call of the agent is checked separately.
    Delegate(String),
    /// Reads the state of an editor, moves its cursor or writes into its buffers; a named file is a separate
    /// access.
    Editor(EditorUse),
}

/// The part of a file that a write replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The whole content: the previous content is lost.
    Whole,
    /// A part of the content, which the call identifies by its current text.
    Part,
    /// The content and the name: a deletion. It needs no earlier read, but fails if the file changed after
    /// the session's last read of it.
    Gone,
    /// Only the name: a move, which keeps the content.
    Name,
}

/// A kind of access. Each operation declares every kind that it may use; the MCP annotations of its tools are
/// derived from this list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// Reads files.
    Reads,
    /// Writes files.
    Writes,
    /// Makes nested calls of other tools. The accesses of each nested call are checked separately.
    Calls,
    /// Runs commands.
    Executes,
    /// Fetches from the network.
    Fetches,
    /// Calls tools of upstream MCP servers.
    Bridges,
    /// Delegates part of the work to an agent.
    Delegates,
    /// Queries a model if one is configured; that model only reads. The operation also works without a model.
    Asks,
    /// Reads the state of an editor, or moves its cursor.
    Editor,
}

impl Touch {
    /// Returns true if the call continues without this access when the access is denied; the reply then
    /// reports the denial.
    #[must_use]
    pub fn is_optional(&self) -> bool {
        matches!(self, Self::Consult(_))
    }

    /// Lists the accesses of an operation that only reads `place`.
    #[must_use]
    pub fn reads(place: &WorkspacePath) -> Vec<Self> {
        vec![Self::Read(place.clone())]
    }

    /// Returns the kind of this access.
    #[must_use]
    pub fn access(&self) -> Access {
        match self {
            Self::Read(_) => Access::Reads,
            Self::Write(..) => Access::Writes,
            Self::Execute(_) => Access::Executes,
            Self::Fetch(_) | Self::Consult(_) => Access::Fetches,
            Self::Bridge(_) => Access::Bridges,
            Self::Delegate(_) => Access::Delegates,
            Self::Editor(EditorUse::Look | EditorUse::Open | EditorUse::Goto) => Access::Editor,
            Self::Editor(EditorUse::Replace | EditorUse::Insert) => Access::Writes,
        }
    }

    /// Returns the path that is accessed; `None` for an access without a path.
    #[must_use]
    pub fn path(&self) -> Option<&WorkspacePath> {
        match self {
            Self::Read(path) | Self::Write(path, _) => Some(path),
            Self::Execute(_)
            | Self::Fetch(_)
            | Self::Consult(_)
            | Self::Bridge(_)
            | Self::Delegate(_)
            | Self::Editor(_) => None,
        }
    }

    /// Names the target of the access, for users and models.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Self::Read(path) | Self::Write(path, _) => path.display(),
            Self::Execute(command) => format!("`{}`", command.shown()),
            Self::Fetch(host) | Self::Consult(host) => host.written(),
            Self::Bridge(tool) => tool.shown(),
            Self::Editor(act) => act.shown().to_owned(),
            Self::Delegate(agent) => format!("to the agent {}", toolpost_text::escape::text(agent)),
        }
    }
}
