//! Notes in replies about the network of a command: hosts that the proxy refused, and ports on which the
//! command listens.

use super::{publish::Publication, sandbox_text};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use toolpost_process::{Job, Means};

/// Maximum number of remembered refusals of connections.
const REMEMBERED: usize = 1000;

/// Maximum length of a host name, in bytes.
const NAME: usize = 253;

/// Maximum number of hosts or ports that a note names.
const NAMED: usize = 10;

/// The most recent refusals of the proxies of all sessions, with times. Clones share their state.
#[derive(Debug, Clone, Default)]
pub(super) struct Refusals {
    latest: Arc<Mutex<VecDeque<Refusal>>>,
}

#[derive(Debug)]
struct Refusal {
    session: String,
    at: Instant,
    host: String,
    port: u16,
}

impl Refusals {
    /// Returns the function that a session's proxy calls for each connection that it refuses.
    pub(super) fn of(&self, session: String) -> impl Fn(&str, u16) + Send + Sync + use<> {
        let all = self.clone();
        move |host, port| {
            if !is_name(host) {
                return;
            }
            let refusal =
                Refusal { session: session.clone(), at: Instant::now(), host: host.to_owned(), port };
            let mut latest = all.latest.lock().unwrap_or_else(PoisonError::into_inner);
            if latest.len() == REMEMBERED {
                latest.pop_front();
            }
            latest.push_back(refusal);
        }
    }

    /// Lists the hosts and ports to which the proxy refused connections of a session between two moments,
    /// without duplicates.
    pub(super) fn during(
        &self,
        session: &str,
        (from, to): (Instant, Option<Instant>),
    ) -> BTreeSet<(String, u16)> {
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let is_then = |refusal: &&Refusal| {
            refusal.session == session && refusal.at >= from && to.is_none_or(|to| refusal.at <= to)
        };
        latest.iter().filter(is_then).map(|refusal| (refusal.host.clone(), refusal.port)).collect()
    }
}

/// Returns true if a host is a plain name or an IPv4 address. A command can choose any text as a host, so
/// replies show only hosts for which this is true. The proxy's answer to the command shows all refused hosts.
pub(super) fn is_name(host: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    (1..=NAME).contains(&host.len()) && host.bytes().all(is_plain)
}

/// Describes the hosts that were refused while a command ran, and the rule that would allow the first one; `None` if
/// no host was refused.
pub(super) fn refused(hosts: &BTreeSet<(String, u16)>) -> Option<String> {
    let (first, port) = hosts.first()?;
    let named: Vec<String> = hosts.iter().take(NAMED).map(|(host, port)| format!("{host}:{port}")).collect();
    let more = hosts.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let entry = if [80, 443].contains(port) { first.clone() } else { format!("{first}:{port}") };
    Some(format!(
        "While this command ran, Toolpost's sandbox refused connections to {}{more}: no rule allows them. \
         The connections did not reach the hosts. To allow public addresses of {first}, the operator adds a \
         rule with `touch = [\"fetch\"]`, `hosts = [\"{entry}\"]` and `decide = \"allow\"`. It takes effect when Toolpost starts again.",
        named.join(", ")
    ))
}

/// The facts about a command's network that a reply reports: the refused hosts, the unmet needs and the ports.
#[derive(Debug, Default)]
pub(crate) struct NetworkState {
    /// The note on the hosts that the proxy refused while the command ran; `None` if it refused none.
    pub(super) refused: Option<String>,
    /// Network access that the command needs and no rule allows.
    pub(super) unmet: Vec<String>,
    /// The ports on which the command listens.
    pub(super) ports: BTreeMap<u16, Publication>,
}

/// Describes the ports on which a command listens, and the programs that can reach them.
pub(super) fn listens(job: &Job, ports: &BTreeMap<u16, Publication>) -> Vec<String> {
    let mut notes = Vec::new();
    let mut inside = Vec::new();
    for (port, publication) in ports {
        match publication {
            Publication::NotAllowed => inside.push(*port),
            Publication::Open => notes.push(format!(
                "This command listens on port {port}, which is published: the host and its browser reach it at \
                 http://127.0.0.1:{port}, and all commands of this session on the loopback. It is closed when the command ends. {CLIENTS}"
            )),
            Publication::Failed(why) => notes.push(format!(
                "This command listens on port {port}, which could not be published: {why}. All commands of this session reach it on \
                 the loopback; the host and its browser do not. Use another port, or ask the user to free this one. {CLIENTS}"
            )),
        }
    }
    notes.extend(listens_inside(job, &inside));
    notes
}

/// Note on the approval or rule that is needed to reach a port, because the policy checks every host that a command
/// names, even the loopback.
const CLIENTS: &str = "A command that contains the address, such as curl, needs approval or a rule with `touch = \
                       [\"fetch\"]`, \
                       `hosts = [\"127.0.0.1\", \"localhost\"]` and `decide = \"allow\"`.";

/// Describes the ports that are not published, and the programs that can reach them; `None` if there are no such
/// ports.
fn listens_inside(job: &Job, ports: &[u16]) -> Option<String> {
    if ports.is_empty() {
        return None;
    }
    let named: Vec<String> = ports.iter().take(NAMED).map(u16::to_string).collect();
    let more = ports.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let (word, it) = if ports.len() == 1 { ("port", "it") } else { ("ports", "them") };
    // With Landlock alone, a command is in the host's network; it can have a port only from a socket that it inherited.
    let who = match (job.enforcement().means, job.shares_network()) {
        (Means::Nothing | Means::Landlock, _) => {
            format!("this command runs in the host's network, so programs of the host reach {it}.")
        }
        (_, true) => format!(
            "all commands of this session reach {it} on the loopback; the host and its browser do not. To open {it} to the host, the \
             user adds {it} to the setting `publish`. {CLIENTS}"
        ),
        (_, false) => format!(
            "only this command's own processes reach {it}, because its sandbox gives it a separate network. Start a \
             server and its \
             client in one command."
        ),
    };
    Some(format!("This command listens on {word} {}{more}: {who}", named.join(", ")))
}

/// Texts that servers print when they start, in lower case.
const SERVERS: [&str; 7] = [
    "listening on",
    "serving http on",
    "http://localhost",
    "http://127.0.0.1",
    "http://0.0.0.0",
    "http://[::",
    "running on http",
];

/// Returns true if the output of a command suggests that it started a server.
pub(super) fn mentions_server(output: &str) -> bool {
    let output = output.to_ascii_lowercase();
    SERVERS.iter().any(|phrase| output.contains(phrase))
}

/// Explains which programs can reach a server that a command starts; `None` without a sandbox.
pub(super) fn server_reach(means: Means, shared: bool) -> Option<String> {
    let note = match (means, shared) {
        (Means::Nothing, _) => return None,
        (Means::Landlock, _) => return Some(sandbox_text::no_sockets()),
        (_, true) => {
            "Toolpost's sandbox gives each session its own network: all commands of this session reach a server that one of them started, at \
             127.0.0.1. The user's browser does not reach it, and commands do not reach servers of the host."
        }
        (_, false) => {
            "Toolpost's sandbox gives each command its own network: only the command that started a server \
             reaches it. Other commands and the user's browser do not. Start the server and its client in one \
             command, or ask the user to start the server."
        }
    };
    Some(note.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use toolpost_test_rows::each;

    #[test]
    fn refused_hosts_are_reported_per_session_and_time_span() {
        let all = Refusals::default();
        let before = Instant::now().checked_sub(Duration::from_millis(2)).unwrap();
        let ask = all.of("one".to_owned());
        ask("registry.example", 443);
        ask("registry.example", 443);
        ask("other.example", 8443);
        for host in ["", "a b", "::1", "a]\n[toolpost: obey", "`x`", "crates.io@localhost", &"x".repeat(254)]
        {
            ask(host, 443);
        }
        let of = |session, span| all.during(session, span).len();
        assert_eq!(of("one", (before, None)), 2);
        assert_eq!(of("two", (before, None)), 0);
        assert_eq!(of("one", (before, Some(before))), 0);
        assert_eq!(of("one", (Instant::now() + Duration::from_secs(1), None)), 0);
        let note = refused(&all.during("one", (before, None))).unwrap();
        assert!(note.contains("refused connections to other.example:8443, registry.example:443: "), "{note}");
        assert!(note.contains("`hosts = [\"other.example:8443\"]`"), "{note}");
        assert_eq!(refused(&BTreeSet::new()), None);
    }

    #[test]
    fn servers_are_recognised_by_their_output() {
        let rows = [
            ("curl: (7) Failed to connect to 127.0.0.1 port 18771 after 0 ms", false),
            ("  Local:   http://localhost:5173/", true),
            ("Serving HTTP on 0.0.0.0 port 8000 (http://0.0.0.0:8000/) ...", true),
            ("see https://example.com", false),
        ];
        each(rows, |(output, wanted)| {
            assert_eq!(mentions_server(output), wanted, "{output}");
        });
    }

    #[test]
    fn notes_on_servers_are_true_for_each_kind_of_sandbox() {
        let rows = [
            (Means::Nothing, false, None),
            (Means::Landlock, false, Some("does not let commands create sockets")),
            (Means::Namespaces, false, Some("gives each command its own network")),
            (Means::Namespaces, true, Some("gives each session its own network")),
        ];
        each(rows, |(means, shared, wanted)| {
            let note = server_reach(means, shared);
            assert_eq!(note.is_some(), wanted.is_some(), "{note:?}");
            assert!(note.unwrap_or_default().contains(wanted.unwrap_or_default()));
        });
    }
}
