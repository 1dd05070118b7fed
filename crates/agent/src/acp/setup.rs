//! What an agent program is, and what it gets from us.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

/// The name under which our own tools are handed to the agent; not that of a server that its user may have set up there.
pub const SERVER: &str = "toolpost-acp";

/// An agent program that the operator names, and what it gets from us.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// What its environment has beside the customary.
    pub environment: BTreeMap<String, String>,
    /// The roots of the workspace; it starts and works in the first.
    pub roots: Vec<PathBuf>,
    /// How our own tools are started for it.
    pub handed: Handed,
    /// What it may do.
    pub may: May,
    /// How long nothing may come from it while it waits for no tool.
    pub idle: Duration,
}

/// How our own tools are started, as an MCP server of the agent.
#[derive(Debug, Clone, Default)]
pub struct Handed {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Which tools it serves, by names and patterns; all where nothing is said.
    pub tools: Vec<String>,
    /// What its environment has beside that of the agent.
    pub environment: BTreeMap<String, String>,
}

/// What an agent is allowed when it asks; what it does without asking nobody is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum May {
    /// Read, with our tools and with its own.
    Read,
    /// Change what our tools change, as the rules allow.
    Write,
    /// Whatever it asks for, past our tools and rules, too.
    All,
}

impl May {
    /// All of them, from the narrowest on.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::All];

    /// Gives the word for it, as in settings.
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
    /// Gives the command as a person would write it, without what may be secret in it.
    #[must_use]
    pub fn shown(&self) -> String {
        toolpost_text::redact::redact(&self.command.join(" ")).into_owned()
    }
}
