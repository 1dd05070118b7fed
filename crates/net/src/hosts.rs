//! The list of hosts to which sandboxed programs may connect.

use std::{fmt, net::IpAddr};

/// The ports that an entry of the list allows if it states no port.
const PORTS: [u16; 2] = [80, 443];

/// A list of allowed hosts; hosts that are not on it are refused.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hosts {
    /// The entries in order; the last one that matches a host decides.
    entries: Vec<(Entry, HostEffect)>,
}

/// Effect of an entry on the hosts that it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostEffect {
    /// Allow the host.
    Reach,
    /// Refuse the host, even if an earlier entry allows it.
    Refuse,
}

/// Error of an invalid entry of the list of hosts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid host `{entry}`: write a name (`crates.io`), all names below one (`*.crates.io`), every host (`*`), or an address, each with a port if it is neither 80 nor 443 (`example.com:8443`)"
)]
pub struct HostError {
    /// The invalid entry as written.
    pub entry: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    name: Name,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Name {
    This(String),
    Below(String),
    Every,
}

impl Hosts {
    /// Parses a list of allowed hosts: names, names with the prefix `*.`, `*`, and IP addresses, each with an
    /// optional port.
    pub fn new(entries: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self, HostError> {
        Self::in_order(entries.into_iter().map(|entry| (entry, HostEffect::Reach)))
    }

    /// Parses a list of allowed and refused hosts; the last matching entry decides.
    pub fn in_order(
        entries: impl IntoIterator<Item = (impl AsRef<str>, HostEffect)>,
    ) -> Result<Self, HostError> {
        let read = |text: &str| entry(text).ok_or_else(|| HostError { entry: text.to_owned() });
        let entries = entries.into_iter().map(|(text, say)| Ok((read(text.as_ref())?, say)));
        Ok(Self { entries: entries.collect::<Result<_, _>>()? })
    }

    /// Returns whether no entry allows a host.
    pub fn is_empty(&self) -> bool {
        !self.entries.iter().any(|(_, say)| *say == HostEffect::Reach)
    }

    /// Returns whether connections to a host on this port are allowed.
    pub fn allow(&self, host: &str, port: u16) -> bool {
        self.deciding(host, port).is_some_and(|(_, say)| *say == HostEffect::Reach)
    }

    /// Describes why a host is refused, as a clause: an entry forbids it, or no entry allows it.
    pub(crate) fn refusal(&self, host: &str, port: u16) -> String {
        match self.deciding(host, port) {
            Some((entry, HostEffect::Refuse)) => format!("the rule for `{entry}` forbids it"),
            Some((_, HostEffect::Reach)) | None => "no rule allows this host".to_owned(),
        }
    }

    fn deciding(&self, host: &str, port: u16) -> Option<&(Entry, HostEffect)> {
        let host = plain(host)?;
        self.entries.iter().rev().find(|(entry, say)| entry.means(&host, port, *say))
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Name::This(name) if name.contains(':') && self.port.is_some() => write!(out, "[{name}]")?,
            Name::This(name) => out.write_str(name)?,
            Name::Below(name) => write!(out, "*.{name}")?,
            Name::Every => out.write_str("*")?,
        }
        self.port.map_or(Ok(()), |port| write!(out, ":{port}"))
    }
}

impl Entry {
    /// Returns whether the entry matches a host and a port. An entry without a port matches every port if it refuses
    /// hosts, and otherwise only `PORTS`.
    fn means(&self, host: &str, port: u16, say: HostEffect) -> bool {
        let is_named = match &self.name {
            Name::This(name) => *name == host,
            Name::Below(name) => host.strip_suffix(name).is_some_and(|before| before.ends_with('.')),
            Name::Every => true,
        };
        is_named
            && self.port.map_or_else(|| say == HostEffect::Refuse || PORTS.contains(&port), |own| own == port)
    }
}

/// Returns whether the entry `text` with the effect `say` matches a host and a port; an invalid entry matches nothing.
#[must_use]
pub fn means(text: &str, host: &str, port: u16, say: HostEffect) -> bool {
    let (Some(entry), Some(host)) = (entry(text), plain(host)) else { return false };
    entry.means(&host, port, say)
}

fn entry(text: &str) -> Option<Entry> {
    let (host, port) = split(text.trim())?;
    let name = match host.strip_prefix("*.") {
        None if host == "*" => Name::Every,
        Some(below) if below.parse::<IpAddr>().is_err() => Name::Below(plain(below)?),
        Some(_) => return None,
        None => Name::This(plain(host)?),
    };
    Some(Entry { name, port })
}

/// Splits a host from its port, if it has one; `None` if the text is invalid. An IPv6 address with a port is in brackets.
pub(crate) fn split(text: &str) -> Option<(&str, Option<u16>)> {
    let port =
        |port: &str| port.parse::<u16>().ok().filter(|_| port.bytes().all(|byte| byte.is_ascii_digit()));
    if let Some(rest) = text.strip_prefix('[') {
        let (host, after) = rest.split_once(']')?;
        host.parse::<std::net::Ipv6Addr>().ok()?;
        return match after.strip_prefix(':') {
            Some(after) => Some((host, Some(port(after)?))),
            None => after.is_empty().then_some((host, None)),
        };
    }
    match text.split_once(':') {
        Some((_, after)) if after.contains(':') => {
            text.parse::<std::net::Ipv6Addr>().ok()?;
            Some((text, None))
        }
        Some((host, after)) => Some((host, Some(port(after)?))),
        None => Some((text, None)),
    }
}

/// Returns a host name or IP address in normalized form; `None` if it is invalid.
pub(crate) fn plain(host: &str) -> Option<String> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Some(address.to_string());
    }
    let host = host.strip_suffix('.').unwrap_or(host);
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let is_part = |part: &str| !part.is_empty() && part.len() < 64 && part.bytes().all(is_letter);
    let is_name = !host.is_empty() && host.len() < 254 && host.split('.').all(is_part);
    is_name.then(|| host.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn hosts_are_allowed_by_name_and_port() {
        let list =
            ["crates.io", "*.Example.com", "other.org:8443", "1.1.1.1", "[2606:4700::1111]:853", "2606::1"];
        let hosts = Hosts::new(list).unwrap();
        let rows = [
            ("crates.io", 443, true),
            ("crates.io", 80, true),
            ("CRATES.io.", 443, true),
            ("crates.io", 22, false),
            ("static.crates.io", 443, false),
            ("evilcrates.io", 443, false),
            ("crates.io.evil.org", 443, false),
            ("crates.io\0.evil.org", 443, false),
            ("crates.io..", 443, false),
            ("crates.io@evil.org", 443, false),
            ("crates.io/x", 443, false),
            ("a.example.com", 443, true),
            ("a.b.example.com", 80, true),
            ("example.com", 443, false),
            ("evilexample.com", 443, false),
            ("other.org", 8443, true),
            ("other.org", 443, false),
            ("1.1.1.1", 443, true),
            ("1.1.1.2", 443, false),
            ("2606:4700::1111", 853, true),
            ("2606:4700:0:0::1111", 853, true),
            ("2606::1", 443, true),
            ("", 443, false),
            ("*.example.com", 443, false),
        ];
        each(rows, |(host, port, wanted)| {
            assert_eq!(hosts.allow(host, port), wanted, "{host}:{port}");
        });
        assert!(!Hosts::default().allow("crates.io", 443));
    }

    #[test]
    fn the_last_matching_entry_decides() {
        let list = [
            ("*", HostEffect::Reach),
            ("*.org", HostEffect::Refuse),
            ("good.org", HostEffect::Reach),
            ("a.net", HostEffect::Refuse),
        ];
        let hosts = Hosts::in_order(list).unwrap();
        let rows =
            [("x.com", true), ("x.org", false), ("good.org", true), ("a.net", false), ("b.a.net", true)];
        each(rows, |(host, wanted)| {
            assert_eq!(hosts.allow(host, 443), wanted, "{host}");
        });
        assert!(
            !hosts.allow("x.com", 22)
                && !hosts.is_empty()
                && Hosts::in_order([("*", HostEffect::Refuse)]).unwrap().is_empty()
        );
    }

    #[test]
    fn invalid_host_entries_are_refused_by_name() {
        each(
            ["", "a b", "**", "*.1.1.1.1", "a:b", "a:99999", "a:+1", "[::1", "[::1]x", "http://a", "ü.de"],
            |entry| {
                assert_eq!(Hosts::new([entry]), Err(HostError { entry: entry.to_owned() }), "{entry}");
            },
        );
    }
}
