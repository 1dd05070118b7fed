//! Commands that a call would run, and hosts that a call or a command would fetch from.

use toolpost_net::HostEffect;
use toolpost_shell as shell;
use toolpost_workspace::WorkspacePath;

/// A command that a call would run, and the directory in which it would run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The command: a line for a shell, or a program with its arguments.
    pub line: Line,
    /// The directory in which the command would run.
    pub directory: WorkspacePath,
    /// The approval that the call itself requires, in addition to the rules.
    pub approval: Approval,
}

/// The approval that a call requires for its command, in addition to the rules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Approval {
    /// The call requires no approval; the rules may require one.
    #[default]
    ByRules,
    /// The call requires approval, even if the rules allow the command. A call cannot waive an approval that the
    /// rules require.
    Wanted,
}

/// A command as a shell text, or as a program with arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// A text that a shell interprets.
    Shell(String),
    /// A program and its arguments, without a shell.
    Words(Vec<String>),
}

impl Command {
    /// Parses the command: finds the programs that it would run, and its effects.
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

/// A network host: a name or an address, with one port or with any port.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Host {
    name: String,
    port: Option<u16>,
}

/// The default ports of HTTP and HTTPS, which a rule need not name.
const USUAL: [u16; 2] = [80, 443];

impl Host {
    /// Creates a host, with any port, from a name or an address as in a URL. Letter case and a trailing dot
    /// are ignored.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self { name: name.trim_end_matches('.').to_ascii_lowercase(), port: None }
    }

    /// Creates a host from a name or an address, and the port to connect to.
    #[must_use]
    pub fn at(name: &str, port: u16) -> Self {
        Self { port: Some(port), ..Self::new(name) }
    }

    /// Extracts the host, and the port if there is one, from a URL with or without a scheme; `None` if there is no
    /// host, or if unusual characters make it ambiguous.
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
        let (host, port) = host.split_once(':').unwrap_or((host, ""));
        (!host.is_empty()).then(|| Self { port: port.parse().ok(), ..Self::new(host) })
    }

    /// Returns the same host with any port.
    #[must_use]
    pub fn without_port(&self) -> Self {
        Self { name: self.name.clone(), port: None }
    }

    /// Returns the name or address of the host, without its port.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Formats the host as rules name it: with its port, unless that is 80 or 443.
    #[must_use]
    pub fn written(&self) -> String {
        match self.port.filter(|port| !USUAL.contains(port)) {
            Some(port) if self.name.contains(':') => format!("[{}]:{port}", self.name),
            Some(port) => format!("{}:{port}", self.name),
            None => self.name.clone(),
        }
    }

    /// Returns true if the host is this machine, or an address outside the public network.
    #[must_use]
    pub fn is_own(&self) -> bool {
        toolpost_net::is_own(&self.name)
    }

    /// Returns true if the host is the loopback of this machine, which sandboxed commands do not share.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        toolpost_net::is_loopback(&self.name)
    }

    /// Returns true if a rule's host pattern matches this host. If the port is known, a pattern without a
    /// port allows only ports 80 and 443, but refuses every port.
    #[must_use]
    pub fn matches(&self, pattern: &str, say: HostEffect) -> bool {
        if let Some(port) = self.port {
            return toolpost_net::means(pattern, &self.name, port, say);
        }
        match pattern.strip_prefix("*.") {
            Some(domain) => self.name.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.')),
            None => pattern == "*" || Self::new(pattern) == *self,
        }
    }
}
