//! A command that a call would run, and a host that it would fetch from.

use toolpost_net::Say;
use toolpost_shell as shell;
use toolpost_workspace::WorkspacePath;

/// A command and the directory it runs in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The command line.
    pub line: Line,
    /// The working directory.
    pub directory: WorkspacePath,
    /// The source of the request for approval.
    pub approval: Approval,
}

/// The source of a request for the user's approval of a command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Approval {
    /// The access rules, if they require approval.
    #[default]
    ByRules,
    /// The call as well, regardless of the rules. A call cannot waive an approval that the rules require.
    Wanted,
}

/// The form of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// A text that a shell interprets.
    Shell(String),
    /// A program and its arguments, without a shell.
    Words(Vec<String>),
}

impl Command {
    /// Parses the command for its effects.
    #[must_use]
    pub fn read(&self) -> shell::Script {
        match &self.line {
            Line::Shell(text) => shell::read(text),
            Line::Words(words) => shell::read_words(words),
        }
    }

    /// Returns the whole command as it would be typed into a shell.
    #[must_use]
    pub fn shown(&self) -> String {
        match &self.line {
            Line::Shell(text) => text.clone(),
            Line::Words(words) => words.iter().map(|word| shell::quoted(word)).collect::<Vec<_>>().join(" "),
        }
    }
}

/// A network host: a name or an address, with one port or with any.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Host {
    name: String,
    port: Option<u16>,
}

/// The ports that a rule need not name.
const USUAL: [u16; 2] = [80, 443];

impl Host {
    /// Takes a name or an address as in a URL; letter case and a trailing dot are ignored.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self { name: name.trim_end_matches('.').to_ascii_lowercase(), port: None }
    }

    /// Takes a name or an address, and the port to connect to.
    #[must_use]
    pub fn at(name: &str, port: u16) -> Self {
        Self { port: Some(port), ..Self::new(name) }
    }

    /// Finds the host in a URL or in a URL without a scheme; `None` if it is not certain.
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

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Formats the host as rules name it: with its port, unless that is a default port.
    #[must_use]
    pub fn written(&self) -> String {
        match self.port.filter(|port| !USUAL.contains(port)) {
            Some(port) if self.name.contains(':') => format!("[{}]:{port}", self.name),
            Some(port) => format!("{}:{port}", self.name),
            None => self.name.clone(),
        }
    }

    /// Returns true if the name itself means this machine or an address outside the public network.
    #[must_use]
    pub fn is_own(&self) -> bool {
        toolpost_net::is_own(&self.name)
    }

    /// Returns true if a rule's pattern matches this host. If the port is known, a pattern without a port
    /// allows only the default ports.
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
