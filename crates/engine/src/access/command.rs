//! A command that a call would run, and a host that it would fetch from.

use toolpost_net::Say;
use toolpost_shell as shell;
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

/// A host of the network, by its name or its address, at one port or at any.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Host {
    name: String,
    port: Option<u16>,
}

/// The ports that nobody has to name.
const USUAL: [u16; 2] = [80, 443];

impl Host {
    /// Takes a name or an address as it stands in a URL; letter case and a dot at the end mean nothing.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self { name: name.trim_end_matches('.').to_ascii_lowercase(), port: None }
    }

    /// Takes a name or an address, and the port at which it is asked.
    #[must_use]
    pub fn at(name: &str, port: u16) -> Self {
        Self { port: Some(port), ..Self::new(name) }
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
        &self.name
    }

    /// Writes it as a rule names it: with its port, where that is not one of the usual ones.
    #[must_use]
    pub fn written(&self) -> String {
        match self.port.filter(|port| !USUAL.contains(port)) {
            Some(port) if self.name.contains(':') => format!("[{}]:{port}", self.name),
            Some(port) => format!("{}:{port}", self.name),
            None => self.name.clone(),
        }
    }

    /// Says whether it is by its very name this machine, or at an address that is not of the public network.
    #[must_use]
    pub fn is_own(&self) -> bool {
        toolpost_net::is_own(&self.name)
    }

    /// Says whether a rule's pattern means it. Where a port is known, a pattern without one lets only the usual ones be reached.
    #[must_use]
    pub fn is_meant_by(&self, pattern: &str, say: Say) -> bool {
        if let Some(port) = self.port {
            return toolpost_net::means(pattern, &self.name, port, say);
        }
        match pattern.strip_prefix("*.") {
            Some(domain) => self.name.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.')),
            None => pattern == "*" || Self::new(pattern) == *self,
        }
    }
}
