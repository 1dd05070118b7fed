//! Explanations of sandbox refusals: one line with the cause and the next step.
//!
//! The kernel does not report refusals to Toolpost, so they are recognised by the errors that programs print.
//! Each line states a rule of the sandbox that applies to the path, port or host in the error. The line is
//! true even if the error has another cause.

use super::{
    file_notes, kill,
    sandbox_text::{SANDBOX, no_sockets},
};
use std::path::{Path, PathBuf};
use toolpost_process::{Job, Means, Network, PathAccess};

/// An error of the operating system, as programs print it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SystemError {
    /// `EROFS`.
    ReadOnly,
    /// `EACCES`.
    Permission,
    /// `EPERM`.
    NotPermitted,
    /// `EBUSY`.
    Busy,
    /// `ENOENT`.
    Missing,
    /// `ESRCH`.
    NoProcess,
    /// `ECONNREFUSED`.
    ConnectionRefused,
    /// `ENETUNREACH` and similar.
    Unreachable,
    /// A host name that cannot be resolved.
    Name,
    /// `EADDRNOTAVAIL`.
    NoAddress,
    /// `EAFNOSUPPORT`.
    Family,
    /// An operation that needs root privileges.
    Root,
}

impl SystemError {
    fn is_of_network(self) -> bool {
        matches!(self, Self::Name | Self::Unreachable | Self::ConnectionRefused)
    }

    fn is_of_write(self) -> bool {
        matches!(self, Self::ReadOnly | Self::Permission | Self::NotPermitted | Self::Busy)
    }
}

/// The messages of the C library, Node, Go, Java and common programs, in lower case, and the names of errors,
/// in upper case. The first match in this order counts.
const MESSAGES: [(SystemError, &[&str]); 12] = [
    (
        SystemError::Root,
        &[
            "no new privileges",
            "and have the setuid bit set",
            "effective uid is not 0",
            // In a user namespace, `chown` to a user without a mapping fails with `EINVAL`.
            "changing ownership of",
            "cannot change ownership to",
        ],
    ),
    (SystemError::Family, &["address family not supported", "EAFNOSUPPORT"]),
    (SystemError::ReadOnly, &["read-only file system", "EROFS"]),
    (SystemError::Permission, &["permission denied", "EACCES"]),
    (SystemError::NotPermitted, &["operation not permitted", "EPERM"]),
    (SystemError::Busy, &["device or resource busy", "EBUSY"]),
    (SystemError::NoProcess, &["no such process", "ESRCH"]),
    (
        SystemError::Name,
        &[
            "could not resolve",
            "unable to resolve host",
            "failed to resolve",
            "temporary failure in name resolution",
            "name or service not known",
            "failed to lookup address",
            "no address associated with hostname",
            "no such host",
            "unknownhostexception",
            "ENOTFOUND",
            "EAI_AGAIN",
        ],
    ),
    (
        SystemError::Unreachable,
        &["network is unreachable", "no route to host", "ENETUNREACH", "EHOSTUNREACH"],
    ),
    (
        SystemError::ConnectionRefused,
        &["connection refused", "ECONNREFUSED", "failed to connect", "couldn't connect"],
    ),
    (
        SystemError::NoAddress,
        &["cannot assign requested address", "can't assign requested address", "EADDRNOTAVAIL"],
    ),
    (SystemError::Missing, &["no such file or directory", "ENOENT"]),
];

/// The properties of a command's sandbox that the explanations depend on.
pub(super) struct CommandSandbox<'a> {
    pub(super) means: Means,
    pub(super) network: Option<Network>,
    /// True if the commands of the session share one loopback.
    pub(super) shares_network: bool,
    pub(super) access: &'a dyn Fn(&Path) -> PathAccess,
}

/// The kinds of errors in a command's output that are explained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Errors {
    /// All errors, because the command failed.
    All,
    /// Only network errors, because the command is still running, and other errors may be harmless.
    Network,
    /// Only errors about protected paths, because the command succeeded, but a part of it may have failed.
    Protected,
}

/// The kinds of refusals that other notes of the reply already report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ReportedRefusals {
    /// Refusals to create or change guarded names, such as Git hooks, which other programs execute.
    pub(super) names: bool,
    /// Hosts that the proxy refused.
    pub(super) hosts: bool,
}

/// Explains the last refusal that the output of a job contains and no other note reports; `None` if there is none.
pub(super) fn line(job: &Job, output: &str, errors: Errors, reported: ReportedRefusals) -> Option<String> {
    let confined = CommandSandbox {
        means: job.enforcement().means,
        network: job.network(),
        shares_network: job.shares_network(),
        access: &|path| job.path_access(path),
    };
    confined.line(output, errors, reported)
}

/// Messages of package managers and version control that could not fetch something, in lower case. They do not contain
/// the network error itself.
const UNFETCHED: [&str; 8] = [
    "no matching distribution found",
    "could not find a version that satisfies",
    "could not fetch",
    "failed to fetch",
    "unable to access",
    "could not read from remote",
    "max retries exceeded",
    "network request",
];

/// Returns true if an output contains a network error, or a message that a network error may have caused.
pub(super) fn mentions_network_failure(output: &str) -> bool {
    output.lines().any(|line| {
        let lower = line.to_ascii_lowercase();
        error(line).is_some_and(|(error, _)| error.is_of_network())
            || UNFETCHED.iter().any(|message| lower.contains(message))
    })
}

/// Lists the guarded names that a job was not allowed to create or change. If there are any, also lists the
/// protected paths in the errors that the job printed, because only the job itself learns that the kernel refused to
/// change an existing file.
pub(super) fn guarded(job: &Job, output: &str) -> Vec<PathBuf> {
    let mut names = job.refused();
    if names.is_empty() {
        return names;
    }
    let is_protected = |path: &Path| job.path_access(path) == PathAccess::Protected;
    for path in named_with_errors(output, &is_protected).map(|path| job.directory().join(path)) {
        if !names.contains(&path) {
            names.push(path);
        }
    }
    names
}

/// Lists the first path for which `holds` returns true in each line with a "read-only file system" or "busy" error.
fn named_with_errors<'o>(
    output: &'o str,
    holds: &'o dyn Fn(&Path) -> bool,
) -> impl Iterator<Item = &'o Path> {
    output.lines().filter_map(|line| {
        let (found, start) = error(line)?;
        let counts = matches!(found, SystemError::ReadOnly | SystemError::Busy);
        paths(line, start).map(Path::new).find(|path| counts && holds(path))
    })
}

/// Explains the first path of a command that the sandbox hides completely or in part, or replaces with a private
/// directory; `None` if there is none. For such a path, a command such as `ls` or `test` can print a wrong result
/// without an error.
pub(super) fn withheld(job: &Job, paths: &[PathBuf]) -> Option<String> {
    paths.iter().find_map(|path| {
        let access = job.withheld(path)?;
        let path = path.to_str().filter(|path| *path == "/" || is_path(path))?;
        Some(match access {
            PathAccess::Hidden => hidden(path),
            PathAccess::Home => own(path),
            _ => part(path),
        })
    })
}

impl CommandSandbox<'_> {
    fn line(&self, output: &str, errors: Errors, reported: ReportedRefusals) -> Option<String> {
        if self.means == Means::Nothing {
            return None;
        }
        output.lines().rev().find_map(|line| {
            let (error, start) = error(line)?;
            let counts = match errors {
                Errors::All => true,
                Errors::Network => error.is_of_network(),
                Errors::Protected => error.is_of_write() && self.names_protected(line, start),
            };
            let error = Some(error).filter(|_| counts)?;
            self.explain(error, line, start, reported)
        })
    }

    /// Explains a system error with the path, port or host in its line; `None` if no rule of the sandbox applies, or
    /// another note reports the refusal. The error's message begins at the byte offset `start`.
    fn explain(
        &self,
        error: SystemError,
        line: &str,
        start: usize,
        reported: ReportedRefusals,
    ) -> Option<String> {
        use SystemError::*;
        let of_names = error.is_of_write() && reported.names;
        let of_hosts = error.is_of_network() && reported.hosts;
        if of_names || of_hosts {
            return None;
        }
        let is_of_socket = matches!(error, Family | ConnectionRefused | Unreachable | Name | NoAddress)
            || (error == Permission && is_bind(line));
        if is_of_socket && self.means == Means::Landlock {
            return Some(no_sockets());
        }
        match error {
            Root => Some(privilege()),
            Family => Some(family()),
            ReadOnly => self.write(line, start).or_else(|| Some(read_only(None))),
            Permission if is_bind(line) => Some(low_port()),
            Permission => self.write(line, start),
            NotPermitted => self.write(line, start).or_else(|| Some(privilege())),
            Busy => self.write(line, start),
            Missing => self.read(line, start),
            NoProcess => Some(kill::unseen()),
            ConnectionRefused => Some(self.loopback(port(line))),
            Unreachable | Name => Some(self.host(host(line, start))),
            NoAddress => Some(address()),
        }
    }

    fn names_protected(&self, line: &str, start: usize) -> bool {
        paths(line, start).any(|path| (self.access)(Path::new(path)) == PathAccess::Protected)
    }

    /// Explains an error about a path in the line that the sandbox does not let the command change; `None` if the
    /// line has no such path.
    fn write(&self, line: &str, start: usize) -> Option<String> {
        paths(line, start).find_map(|path| match (self.access)(Path::new(path)) {
            PathAccess::Protected => Some(protected(path)),
            PathAccess::ReadRoot => Some(read_root(path)),
            PathAccess::Read | PathAccess::Part => Some(read_only(Some(path))),
            PathAccess::Hidden => Some(hidden(path)),
            PathAccess::Change | PathAccess::Own | PathAccess::Home => None,
        })
    }

    /// Explains an error about a path in the line that the sandbox hides or redirects; `None` if the line has no such
    /// path.
    fn read(&self, line: &str, start: usize) -> Option<String> {
        let mut paths = paths(line, start).filter(|path| path.starts_with('/'));
        paths.find_map(|path| match (self.access)(Path::new(path)) {
            PathAccess::Hidden => Some(hidden(path)),
            PathAccess::Own | PathAccess::Home => Some(own(path)),
            _ => None,
        })
    }

    fn loopback(&self, port: Option<u16>) -> String {
        let at = port.map_or("127.0.0.1".to_owned(), |port| format!("127.0.0.1:{port}"));
        if self.shares_network {
            format!(
                "{SANDBOX} gives each session its own network: at {at}, commands reach only servers that this session's commands \
                 started, not the host's servers. Start the server with a command of this session."
            )
        } else {
            format!(
                "{SANDBOX} gives each command its own network: at {at}, a command reaches only servers that it started itself. Start \
                 the server and its client in one command."
            )
        }
    }

    fn host(&self, host: Option<&str>) -> String {
        let rule = match host {
            Some(host) => format!("`touch = [\"fetch\"]`, `hosts = [\"{host}\"]` and `decide = \"allow\"`"),
            None => "`touch = [\"fetch\"]`, the host in `hosts` and `decide = \"allow\"`".to_owned(),
        };
        let host = host.map_or("the host".to_owned(), |host| format!("`{host}`"));
        let restart = "It takes effect when Toolpost starts again.";
        match self.network {
            Some(Network::Proxied) => format!(
                "{SANDBOX} lets commands reach hosts only through the proxy that `https_proxy` names. Have the program use that \
                 proxy. To allow {host}, the operator adds a rule with {rule}. {restart}"
            ),
            _ => format!(
                "{SANDBOX} gives commands no network, so {host} was not reached. To allow it, the operator adds a rule with {rule}. \
                 {restart}"
            ),
        }
    }
}

/// Explains a socket of a family or type that the sandbox does not allow.
fn family() -> String {
    format!(
        "{SANDBOX} lets commands create only Unix sockets, and TCP sockets of their network. Work without \
         this kind of socket, or leave this command to the user."
    )
}

fn read_only(path: Option<&str>) -> String {
    let path = path.map_or("paths outside the workspace".to_owned(), |path| format!("`{path}`"));
    format!(
        "{SANDBOX} lets commands only read {path}: they can write in the workspace and in their own /tmp. Write there, \
         or leave this command to the user."
    )
}

fn read_root(path: &str) -> String {
    format!(
        "{SANDBOX} lets commands only read `{path}`, because the setting `read_only` is on: they can write in their \
         own /tmp. Leave changes of the workspace to the user."
    )
}

fn protected(path: &str) -> String {
    let next = if file_notes::is_of_version_control(Path::new(path)) {
        "File tools refuse to change it, too: leave the change to the user."
    } else {
        "Change it with a file tool, which asks the user, or leave it unchanged."
    };
    format!(
        "{SANDBOX} keeps `{path}` unchanged and in place: other programs execute such files without asking. {next}"
    )
}

fn hidden(path: &str) -> String {
    format!(
        "{SANDBOX} hides `{path}`: commands see the workspace, the system and the usual toolchains, and neither \
         credentials nor other directories of the user. Work without it, or leave this command to the user."
    )
}

fn own(path: &str) -> String {
    format!(
        "{SANDBOX} gives commands a private, empty directory in place of `{path}`: files of the host are not in it. Work \
         without them, or leave this command to the user."
    )
}

fn part(path: &str) -> String {
    format!(
        "{SANDBOX} shows commands only a part of `{path}`: the paths to the workspace, the system and the usual \
         toolchains. Do not conclude from this output that something does not exist there."
    )
}

fn privilege() -> String {
    format!(
        "{SANDBOX} gives commands no root privileges: they cannot mount, trace, change owners or gain privileges. Work \
         without root privileges, or leave this command to the user."
    )
}

fn low_port() -> String {
    format!("{SANDBOX} lets commands listen only on ports from 1024: choose a higher port.")
}

fn address() -> String {
    format!("{SANDBOX} has no network interface but the loopback: listen on 127.0.0.1, ::1 or 0.0.0.0.")
}

/// Finds the error in a line of output; also returns the byte offset at which the error's message starts.
fn error(line: &str) -> Option<(SystemError, usize)> {
    let lower = line.to_ascii_lowercase();
    let is_name = |message: &str| message.starts_with(|letter: char| letter.is_ascii_uppercase());
    let find = |message: &&str| if is_name(message) { line.find(*message) } else { lower.find(*message) };
    MESSAGES.iter().find_map(|(error, messages)| messages.iter().find_map(find).map(|start| (*error, start)))
}

/// Returns true if an error is about listening on a port.
fn is_bind(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    ["bind", "listen"].iter().any(|word| line.contains(word))
}

/// Lists possible paths in a line: quoted texts, the part before the error, and words with a slash.
fn paths(line: &str, start: usize) -> impl Iterator<Item = &str> {
    let quoted = [('\'', '\''), ('`', '\''), ('`', '`'), ('"', '"'), ('‘', '’')];
    let in_quotes = quoted.into_iter().flat_map(|(open, close)| between(line, open, close));
    let before = line.get(..start).unwrap_or_default().trim_end().trim_end_matches([':', ',']);
    let part = before.rsplit(": ").next().unwrap_or_default();
    let is_around = |letter: char| letter.is_whitespace() || ":,;()[]'\"`‘’".contains(letter);
    // A message may begin with the name of a program, as in `/usr/bin/bash: line 1: ./f: Permission denied`. This
    // name is not the path in the error, so it is left out.
    let program =
        line.split_once(": ").filter(|(program, _)| program.len() < start && !program.contains(' '));
    let message = program.filter(|(_, rest)| rest.contains(": ")).map_or(line, |(_, rest)| rest);
    let words = message.split(is_around).filter(|word| word.contains('/'));
    let words = words.filter(|word| !word.contains("://") && !word.starts_with("//"));
    in_quotes.chain([part]).chain(words).filter(|path| is_path(path))
}

fn between(line: &str, open: char, close: char) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let (_, after) = rest.split_once(open)?;
        let (text, after) = after.split_once(close)?;
        rest = after;
        Some(text)
    })
}

/// Maximum length of a path in the output that a reply repeats, in bytes.
const LONGEST: usize = 300;

/// Returns true if a reply may contain a path; false for `/`. A command chooses the path, so it must not contain white
/// space, markup, control characters, or characters that change the text direction.
fn is_path(path: &str) -> bool {
    let is_plain = |letter: char| {
        let turns_text =
            matches!(letter, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        !letter.is_control() && !letter.is_whitespace() && !turns_text && !"`[]<>".contains(letter)
    };
    path != "/" && (1..=LONGEST).contains(&path.len()) && path.chars().all(is_plain)
}

/// Finds the port in a line of output: after a loopback address, or after the word `port`.
fn port(line: &str) -> Option<u16> {
    let marks = ["127.0.0.1:", "localhost:", "[::1]:", "::1:", "127.0.0.1/", "localhost/", "port "];
    marks.iter().find_map(|mark| {
        let (_, rest) = line.split_once(mark)?;
        let digits = rest.split(|letter: char| !letter.is_ascii_digit()).next()?;
        digits.parse().ok().filter(|port| *port > 0)
    })
}

/// Finds a host name with a dot in a line of output: after one of the known phrases, or directly before the error.
fn host(line: &str, start: usize) -> Option<&str> {
    let marks = [
        "resolve host: ",
        "resolve hostname ",
        "resolve host address ",
        "Failed to resolve ",
        "ENOTFOUND ",
        "EAI_AGAIN ",
        "UnknownHostException: ",
        "lookup ",
        "://",
    ];
    let before = line.get(..start).unwrap_or_default().trim_end_matches([' ', ':']);
    let part = before.rsplit([' ', ':']).next().filter(|part| !part.contains('/'));
    let behind = marks.iter().filter_map(|mark| Some(line.split_once(mark)?.1));
    behind.chain(part).find_map(|rest| {
        let rest = rest.trim_start_matches(['\'', '"', '`', '‘']);
        let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || ".-_".contains(letter);
        let name = rest.split(|letter| !is_of_name(letter)).next()?.trim_end_matches('.');
        (name.contains('.') && super::network::is_name(name)).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    fn access(path: &Path) -> PathAccess {
        let path = path.to_str().unwrap();
        match path {
            _ if path.starts_with("/etc") => PathAccess::Read,
            _ if path.starts_with("/tmp") => PathAccess::Own,
            ".git/hooks/x" | "/w/.git" => PathAccess::Protected,
            _ if path.starts_with("/home") => PathAccess::Hidden,
            _ => PathAccess::Change,
        }
    }

    fn refusal_line(output: &str, network: Network, reported: ReportedRefusals) -> Option<String> {
        let means = Means::Namespaces;
        let confined =
            CommandSandbox { means, network: Some(network), shares_network: true, access: &access };
        confined.line(output, Errors::All, reported)
    }

    #[test]
    fn sandbox_refusals_are_recognised_in_program_errors() {
        let rows = [
            ("touch: cannot touch '/etc/x': Read-only file system", Some("only read `/etc/x`")),
            ("bash: line 1: /etc/x: Read-only file system", Some("only read `/etc/x`")),
            ("sh: 1: cannot create /etc/x: Permission denied", Some("only read `/etc/x`")),
            ("Error: EROFS: read-only file system, open '/etc/x'", Some("only read `/etc/x`")),
            ("OSError: [Errno 30] Read-only file system: '/etc/x'", Some("only read `/etc/x`")),
            ("open /etc/x: read-only file system", Some("only read `/etc/x`")),
            ("Read-only file system at -e line 1.", Some("only read paths outside the workspace")),
            ("cp: cannot create regular file 'a' from '/etc/x': Permission denied", Some("`/etc/x`")),
            ("bash: line 1: .git/hooks/x: Read-only file system", Some("keeps `.git/hooks/x`")),
            ("mv: cannot move '/w/.git' to '/w/.g': Device or resource busy", Some("keeps `/w/.git`")),
            ("cat: /home/u/.ssh/id: No such file or directory", Some("hides `/home/u/.ssh/id`")),
            ("cat: /tmp/other.log: No such file or directory", Some("place of `/tmp/other.log`")),
            ("cat: missing.txt: No such file or directory", None),
            ("bash: ./run.sh: Permission denied", None),
            ("curl: (6) Could not resolve host: crates.io", Some("`hosts = [\"crates.io\"]`")),
            ("Error: getaddrinfo ENOTFOUND registry.npmjs.org", Some("`hosts = [\"registry.npmjs.org\"]`")),
            ("npm error code EAI_AGAIN", Some("the host in `hosts`")),
            ("dial tcp: lookup proxy.golang.org on 1.1.1.1:53: no such host", Some("proxy.golang.org")),
            ("java.net.UnknownHostException: repo.maven.org", Some("repo.maven.org")),
            ("connect: Network is unreachable", Some("gives commands no network")),
            ("curl: (7) Failed to connect to 127.0.0.1 port 5432 after 0 ms", Some("at 127.0.0.1:5432,")),
            ("Error: connect ECONNREFUSED ::1:5173", Some("at 127.0.0.1:5173,")),
            ("bash: connect: Connection refused", Some("at 127.0.0.1,")),
            ("Error: listen EACCES: permission denied 0.0.0.0:80", Some("ports from 1024")),
            ("bind: Cannot assign requested address", Some("no network interface but the loopback")),
            ("bash: line 1: kill: (7) - No such process", Some("only processes that they started")),
            ("mount: Operation not permitted", Some("no root privileges")),
            (
                "tar: x: Cannot change ownership to uid 1000, gid 1000: Invalid argument",
                Some("change owners"),
            ),
            ("socket: Address family not supported by protocol", Some("only Unix sockets, and TCP sockets")),
            (
                "chroot: cannot change root directory to '/': Operation not permitted",
                Some("no root privileges"),
            ),
            ("sudo: The \"no new privileges\" flag is set", Some("no root privileges")),
            ("error[E0308]: mismatched types", None),
            ("", None),
        ];
        each(rows, |(output, wanted)| {
            let line = refusal_line(output, Network::Closed, ReportedRefusals::default());
            match (&line, wanted) {
                (Some(line), Some(wanted)) => {
                    assert!(
                        line.starts_with("Toolpost's sandbox ") && line.contains(wanted),
                        "{output}: {line}"
                    );
                    assert!(!line.contains('\n'), "{line}");
                }
                _ => assert_eq!(line.as_deref(), wanted, "{output}"),
            }
        });
    }

    #[test]
    fn network_errors_under_landlock_alone_are_explained_by_the_missing_sockets() {
        let rows = [
            "socket: Address family not supported by protocol",
            "curl: (7) Failed to connect to 127.0.0.1 port 5432 after 0 ms",
            "curl: (6) Could not resolve host: crates.io",
            "connect: Network is unreachable",
            "bind: Cannot assign requested address",
            "Error: listen EACCES: permission denied 0.0.0.0:80",
        ];
        let means = Means::Landlock;
        let confined = CommandSandbox { means, network: None, shares_network: false, access: &access };
        each(rows, |output| {
            let line = confined.line(output, Errors::All, ReportedRefusals::default());
            assert_eq!(line, Some(no_sockets()), "{output}");
        });
    }

    #[test]
    fn network_failures_are_recognised_in_any_line_of_the_output() {
        let rows = [
            ("curl: (6) Could not resolve host: pypi.org", true),
            ("ok\nnpm error code EAI_AGAIN\ndone", true),
            ("ERROR: No matching distribution found for requests", true),
            ("fatal: unable to access 'https://example.com/a/': x", true),
            ("Successfully installed requests", false),
            ("cat: missing.txt: No such file or directory", false),
            ("", false),
        ];
        each(rows, |(output, wanted)| assert_eq!(mentions_network_failure(output), wanted, "{output}"));
    }

    #[test]
    fn only_the_last_refusal_is_reported_and_only_once() {
        let output = "cat: /home/u/x: No such file or directory\ntouch: cannot touch '/etc/x': Read-only file system\nfailed\n";
        let line = refusal_line(output, Network::Closed, ReportedRefusals::default()).unwrap();
        assert!(line.contains("`/etc/x`") && !line.contains("/home"), "{line}");
        let names = ReportedRefusals { names: true, hosts: false };
        assert_eq!(refusal_line("touch: .envrc: Operation not permitted", Network::Closed, names), None);
        let means = Means::Namespaces;
        let running = CommandSandbox { means, network: None, shares_network: true, access: &access };
        let of = |output: &str| running.line(output, Errors::Network, ReportedRefusals::default());
        assert!(
            of("connect ECONNREFUSED 127.0.0.1:5432\ncat: /home/u/x: No such file or directory").is_some()
        );
        assert_eq!(of("touch: cannot touch '/etc/x': Read-only file system"), None);
        let hosts = ReportedRefusals { names: false, hosts: true };
        assert_eq!(refusal_line("Could not resolve host: crates.io", Network::Proxied, hosts), None);
        let line =
            refusal_line("Could not resolve host: crates.io", Network::Proxied, ReportedRefusals::default())
                .unwrap();
        assert!(line.contains("through the proxy that `https_proxy` names"), "{line}");
    }

    /// A command can succeed although a part of it failed, as in `git config user.name x; echo done`.
    #[test]
    fn refusals_in_successful_commands_are_explained_only_for_protected_paths() {
        let means = Means::Namespaces;
        let succeeded = CommandSandbox { means, network: None, shares_network: true, access: &access };
        let rows = [
            (".git/hooks/x: Device or resource busy\ndone", true),
            ("error: could not write config file .git/hooks/x: Read-only file system", true),
            ("mv: cannot move '/w/.git' to '/w/.g': Operation not permitted", true),
            ("bash: .git/hooks/x: Permission denied", true),
            ("touch: cannot touch '/etc/x': Read-only file system", false),
            ("cat: .git/hooks/x: No such file or directory", false),
            ("connect ECONNREFUSED 127.0.0.1:5432", false),
            ("wrote .git/hooks/x", false),
        ];
        each(rows, |(output, explained)| {
            let line = succeeded.line(output, Errors::Protected, ReportedRefusals::default());
            assert_eq!(line.is_some(), explained, "{output}: {line:?}");
        });
    }

    /// The built-in rules do not let file tools change the data of version control, so the advice must not name file tools.
    #[test]
    fn advice_for_protected_paths_names_a_way_that_works() {
        let rows = [
            (".git/config", false),
            ("/w/sub/.git", false),
            (".hg/hgrc", false),
            (".envrc", true),
            (".gitmodules", true),
            ("/w/.vscode/tasks.json", true),
        ];
        each(rows, |(path, by_tool)| {
            assert_eq!(protected(path).contains("Change it with a file tool"), by_tool, "{path}");
            let note = file_notes::refused(&[Path::new(path).to_owned()], Path::new("/x")).unwrap();
            assert_eq!(note.contains("with a file tool"), by_tool, "{note}");
        });
    }

    #[test]
    fn protected_paths_are_found_in_all_output_lines() {
        let output = "wrote a\n.git/hooks/x [Errno 30] Read-only file system: '.git/hooks/x'\n/etc/x: Read-only file system\n\
                      mv: cannot move '/w/.git' to '/w/.g': Device or resource busy\n.git/hooks/y: No such file or directory\n";
        let is_protected = |path: &Path| access(path) == PathAccess::Protected;
        let found: Vec<&Path> = named_with_errors(output, &is_protected).collect();
        assert_eq!(found, [Path::new(".git/hooks/x"), Path::new("/w/.git")]);
    }

    #[test]
    fn names_in_command_output_cannot_forge_messages() {
        for name in ["x`] obey", "a\u{202e}b\u{7}", &"x".repeat(400)] {
            let output = format!("touch: cannot touch '/etc/{name}': Read-only file system");
            let line = refusal_line(&output, Network::Closed, ReportedRefusals::default()).unwrap();
            assert!(!line.contains(name), "{line}");
        }
        let line =
            refusal_line("Could not resolve host: x`].evil", Network::Closed, ReportedRefusals::default())
                .unwrap();
        assert!(line.contains("the host in `hosts`"), "{line}");
    }
}
