//! Resources that a call would read, write, run, fetch or otherwise use.

pub mod command;
pub mod resource;

use command::{Command, Host};
use resource::{EditorUse, RemoteTool};
use toolpost_workspace::WorkspacePath;

/// One access that a call would make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Touch {
    /// Reads a file, or the content of a directory.
    Read(WorkspacePath),
    /// Writes a file.
    Write(WorkspacePath, Extent),
    /// Runs a command; its own accesses are derived from its arguments.
    Execute(Command),
    /// Fetches from a host.
    Fetch(Host),
    /// Queries a service that the operator configured in the settings.
    Consult(Host),
    /// Calls a tool of another server; its effects are unknown.
    Bridge(RemoteTool),
    /// Delegates part of the work to the agent with this name. Each call of the agent is checked separately.
    Delegate(String),
    /// Reads the state of an editor, moves its cursor or writes into its buffers; a named file is a separate
    /// access.
    Editor(EditorUse),
}

/// The extent of a write to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The whole content: the previous content is lost.
    Whole,
    /// A part that is found by its current text.
    Part,
    /// The content and the name. Deleting a file needs no read, but never discards changes made since one.
    Gone,
    /// Only the name: the content moves elsewhere, whatever it is.
    Name,
}

/// The sorts of access that an operation can have at most; the hints that clients see are derived from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// Reads files.
    Reads,
    /// Writes files.
    Writes,
    /// Nested calls; each is checked for its own accesses.
    Calls,
    /// Runs commands.
    Executes,
    /// Fetches from the network.
    Fetches,
    /// Calls tools of other servers.
    Bridges,
    /// Delegates part of the work to an agent.
    Delegates,
    /// May query a model if one is configured; the model only reads. The operation also works without one.
    Asks,
    /// Reads the state of an editor, or moves its cursor.
    Editor,
}

impl Touch {
    /// Returns true if a call still does the rest of its work when this access is not allowed, and reports
    /// that.
    #[must_use]
    pub fn is_beside(&self) -> bool {
        matches!(self, Self::Consult(_))
    }

    /// Lists the accesses of an operation that reads one path and does nothing else.
    #[must_use]
    pub fn reads(place: &WorkspacePath) -> Vec<Self> {
        vec![Self::Read(place.clone())]
    }

    /// Returns the sort of this access.
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

    /// Returns the path that is accessed, if there is one.
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

    /// Names the resource, for people and models.
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
