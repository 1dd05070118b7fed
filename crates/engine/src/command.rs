//! A command that a call would run, and a host that it would fetch from.

use toolpost_syntax::shell;
use toolpost_workspace::WorkspacePath;

/// A command, and where it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// What is run.
    pub line: Line,
    /// The directory that it starts in.
    pub directory: WorkspacePath,
    /// Who wants somebody to be asked.
    pub approval: Approval,
}

/// Who wants somebody to be asked about a command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Approval {
    /// The rules, if they say so.
    #[default]
    ByRules,
    /// The call too, whatever the rules allow. That a call wants nobody to be asked changes nothing.
    Wanted,
}

/// What is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// A text that a shell reads.
    Shell(String),
    /// A program and its arguments, without a shell.
    Words(Vec<String>),
}

impl Command {
    /// Reads what the command would do.
    #[must_use]
    pub fn read(&self) -> shell::Script {
        match &self.line {
            Line::Shell(text) => shell::read(text),
            Line::Words(words) => shell::read_words(words),
        }
    }

    /// Gives the whole command as a person would type it.
    #[must_use]
    pub fn shown(&self) -> String {
        match &self.line {
            Line::Shell(text) => text.clone(),
            Line::Words(words) => words.iter().map(|word| shell::quoted(word)).collect::<Vec<_>>().join(" "),
        }
    }
}

/// A host of the network, by its name or its address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Host(String);

impl Host {
    /// Takes a name or an address as it stands in a URL; letter case and a dot at the end mean nothing.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self(name.trim_end_matches('.').to_ascii_lowercase())
    }

    /// Finds the host in a URL, or in what a person writes for one; none where there is none to be sure of.
    #[must_use]
    pub fn of_url(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        let odd =
            |found: char| found.is_whitespace() || found.is_control() || "\\{}[]*?$`\"'<>|".contains(found);
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains(odd) || scheme.contains(odd) {
            return None;
        }
        let host = authority.rsplit('@').next().unwrap_or_default();
        let host = host.split(':').next().unwrap_or_default();
        (!host.is_empty()).then(|| Self::new(host))
    }

    /// Gives the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0
    }
}
