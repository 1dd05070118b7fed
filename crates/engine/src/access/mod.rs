//! Resources that a call would read, write, run, fetch or use otherwise.

pub(crate) mod command;
pub(crate) mod resource;

use command::{Command, Host};
use resource::{EditorUse, RemoteTool};
use toolpost_workspace::WorkspacePath;

/// One thing in the world that a call would touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Touch {
    /// Reads a file, or what lies under a directory.
    Read(WorkspacePath),
    /// Writes a file.
    Write(WorkspacePath, Extent),
    /// Runs a command; what that would touch is read off its words.
    Execute(Command),
    /// Fetches from a host.
    Fetch(Host),
    /// Asks a service that the operator has named in the settings.
    Consult(Host),
    /// Calls a tool of another server, which does what it does.
    Bridge(RemoteTool),
    /// Leaves a part of the work to an agent of that name, which makes calls of its own: each is judged by itself.
    Delegate(String),
    /// Looks into an editor, moves its cursor or writes into its texts; a file that is named is a touch of its own.
    Editor(EditorUse),
}

/// How much of a file a write replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Everything: what was there before is gone.
    Whole,
    /// A place that is found by its present text.
    Part,
    /// Everything, and the name: the file is deleted, which needs no read, but never takes what changed since one.
    Gone,
    /// The name alone: the content goes on elsewhere, whatever it is.
    Name,
}

/// What sort of touches an operation can have at most; the hints that clients see are derived from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// It reads files.
    Reads,
    /// It writes files.
    Writes,
    /// It makes calls of its own; each is judged by what it touches itself.
    Calls,
    /// It runs commands.
    Executes,
    /// It fetches from the network.
    Fetches,
    /// It calls tools of other servers.
    Bridges,
    /// It leaves a part of the work to an agent.
    Delegates,
    /// It may ask a model where there is one, which only reads; without one it does its work all the same.
    Asks,
    /// It looks into an editor, or moves its cursor.
    Editor,
}

impl Touch {
    /// Tells whether a call does the rest of its work where this is not allowed, and says so.
    #[must_use]
    pub fn is_beside(&self) -> bool {
        matches!(self, Self::Consult(_))
    }

    /// Lists what an operation touches that looks at one place and does nothing else.
    #[must_use]
    pub fn reads(place: &WorkspacePath) -> Vec<Self> {
        vec![Self::Read(place.clone())]
    }

    /// Tells which sort of touch it is.
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

    /// Gives the place that is touched, if it is one on the disk.
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

    /// Names what is touched, for people and models.
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
