//! The URL of a server, with the security of its connection.

use std::path::{Path, PathBuf};

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use toolpost_net::{Securing, Vouched};
use toolpost_workspace::operator;

use crate::Fault;

/// The default port.
const PORT: u16 = 5432;

/// The URL parameters about connection security.
const MODE: &str = "sslmode";
const ROOTS: &str = "sslrootcert";

/// The location of a server, and its connection settings.
pub(crate) struct Address {
    pub(crate) config: Config,
    /// The location, without user and password.
    pub(crate) place: String,
    pub(crate) host: Host,
    pub(crate) port: u16,
    /// `None` for an unencrypted connection.
    pub(crate) securing: Option<Securing>,
}

impl Address {
    pub(crate) fn read(address: &str) -> Result<Self, Fault> {
        let bad = || Fault::Address(without_password(address));
        if !address.starts_with("postgres://") && !address.starts_with("postgresql://") {
            return Err(bad());
        }
        let (plain, mode, roots) = apart(address);
        let mut config: Config = plain.parse().map_err(|_| bad())?;
        let Some(host) = config.get_hosts().first().cloned() else { return Err(bad()) };
        let name = match &host {
            Host::Tcp(name) => name.clone(),
            Host::Unix(path) => path.display().to_string(),
        };
        let port = config.get_ports().first().copied().unwrap_or(PORT);
        let place = format!("{name}:{port}/{}", config.get_dbname().unwrap_or("postgres"));
        let vouched = vouched(&place, mode.as_deref(), roots.as_deref())?;
        if vouched.is_some() && matches!(host, Host::Unix(_)) {
            return Err(Fault::Mode {
                place,
                why: "a socket is not encrypted; leave sslmode out".to_owned(),
            });
        }
        let secured = vouched.map(|vouched| Securing::new(&name, &vouched)).transpose();
        let securing =
            secured.map_err(|fault| Fault::Mode { place: place.clone(), why: fault.to_string() })?;
        // An encrypted connection never falls back, and optional encryption is not supported.
        config.ssl_mode(if securing.is_some() { SslMode::Require } else { SslMode::Disable });
        config.application_name("toolpost");
        Ok(Self { config, place, host, port, securing })
    }
}

/// Removes the security parameters from a URL, since the client library knows fewer of them.
fn apart(address: &str) -> (String, Option<String>, Option<PathBuf>) {
    let Some((before, query)) = address.split_once('?') else { return (address.to_owned(), None, None) };
    let (mut mode, mut roots, mut rest) = (None, None, Vec::new());
    for part in query.split('&') {
        match part.split_once('=') {
            Some((MODE, value)) => mode = Some(value.to_owned()),
            Some((ROOTS, value)) => roots = Some(PathBuf::from(unescaped(value))),
            _ => rest.push(part),
        }
    }
    let plain = if rest.is_empty() { before.to_owned() } else { format!("{before}?{}", rest.join("&")) };
    (plain, mode, roots)
}

/// Decodes `%2F` and other escapes.
fn unescaped(value: &str) -> String {
    let mut out = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let digits = behind.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let byte = digits.filter(|_| *first == b'%').and_then(|two| u8::from_str_radix(two, 16).ok());
        out.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { behind.get(2..).unwrap_or_default() } else { behind };
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Returns the trusted certificates; `None` for an unencrypted connection.
fn vouched(place: &str, mode: Option<&str>, roots: Option<&Path>) -> Result<Option<Vouched>, Fault> {
    let no = |why: String| Fault::Mode { place: place.to_owned(), why };
    let roots = match roots {
        None => None,
        Some(path) if path.as_os_str() == "system" => None,
        Some(path) => {
            let text = operator::read(path)
                .map_err(|error| no(format!("{} cannot be read: {error}", path.display())))?;
            Some(text.ok_or_else(|| no(format!("there is no file {} of certificates", path.display())))?)
        }
    };
    match (mode, roots) {
        (None | Some("disable"), None) => Ok(None),
        (None | Some("disable"), Some(_)) => {
            Err(no("sslrootcert is named, and sslmode does not ask for encryption; say sslmode=verify-full".to_owned()))
        }
        (Some("require"), None) => Ok(Some(Vouched::ByNobody)),
        // As in PostgreSQL's own clients, naming certificates means that they must be verified.
        (Some("require" | "verify-ca"), Some(pem)) => Ok(Some(Vouched::ByForAnyName(pem))),
        (Some("verify-ca"), None) => {
            Err(no("sslmode=verify-ca needs sslrootcert=FILE; or say sslmode=verify-full for the system's certificates".to_owned()))
        }
        (Some("verify-full"), Some(pem)) => Ok(Some(Vouched::By(pem))),
        (Some("verify-full"), None) => Ok(Some(Vouched::BySystem)),
        (Some(other @ ("prefer" | "allow")), _) => {
            Err(no(format!("sslmode={other} would go on in plain text where the server does not encrypt; say disable, require or verify-full")))
        }
        (Some(other), _) => {
            Err(no(format!("sslmode={other} is none; say disable, require, verify-ca or verify-full")))
        }
    }
}

/// Removes the password from a URL.
#[must_use]
pub fn without_password(address: &str) -> String {
    let (scheme, rest) = address.split_once("://").map_or(("", address), |(scheme, rest)| (scheme, rest));
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let bare = match rest.get(..end).and_then(|part| part.rfind('@')) {
        Some(at) => {
            let user = rest.get(..at).unwrap_or_default().split(':').next().unwrap_or_default();
            format!("{user}@{}", rest.get(at + 1..).unwrap_or_default())
        }
        None => rest.to_owned(),
    };
    let bare = match bare.split_once('?') {
        Some((before, query)) if query.contains("password") => before.to_owned(),
        _ => bare,
    };
    if scheme.is_empty() { bare } else { format!("{scheme}://{bare}") }
}

#[cfg(test)]
mod tests {
    use super::{Address, unescaped, without_password};

    #[test]
    fn addresses_are_named_without_their_passwords() {
        let rows = [
            ("postgres://me:secret@host:1/base", "postgres://me@host:1/base"),
            ("postgres://me:se@cret@host/base", "postgres://me@host/base"),
            ("postgres://host/base?password=secret", "postgres://host/base"),
            ("postgres://host/base?sslmode=disable", "postgres://host/base?sslmode=disable"),
            ("me:secret@host", "me@host"),
            ("host", "host"),
        ];
        for (address, shown) in rows {
            assert_eq!(without_password(address), shown);
        }
    }

    #[test]
    fn what_is_no_address_is_said_to_be_none() {
        let said = |address: &str| Address::read(address).map(|address| address.place);
        assert_eq!(said("postgres://me:secret@db.example:5433/code").unwrap(), "db.example:5433/code");
        assert_eq!(said("postgresql:///code?host=/run/pg").unwrap(), "/run/pg:5432/code");
        for address in
            ["", "db.example", "mysql://host/base", "postgres://", "postgres:///base", "postgres://h:x/b"]
        {
            let said = said(address).unwrap_err().to_string();
            assert!(said.contains("is no address of an index"), "{address}: {said}");
        }
    }

    #[test]
    fn nobody_is_encrypted_by_chance() {
        let read = |query: &str| Address::read(&format!("postgres://me:secret@host/base{query}"));
        let secured = |query: &str| read(query).map(|address| address.securing.is_some());
        for (query, wanted) in [
            ("", false),
            ("?sslmode=disable", false),
            ("?sslmode=require", true),
            ("?connect_timeout=3&sslmode=require", true),
        ] {
            assert_eq!(secured(query).unwrap(), wanted, "{query}");
        }
        for (query, words) in [
            ("?sslmode=prefer", "would go on in plain text"),
            ("?sslmode=allow", "would go on in plain text"),
            ("?sslmode=yes", "sslmode=yes is none; say disable, require, verify-ca or verify-full"),
            ("?sslmode=verify-ca", "needs sslrootcert=FILE"),
            (
                "?sslmode=verify-full&sslrootcert=/nowhere/ca%2Epem",
                "there is no file /nowhere/ca.pem of certificates",
            ),
            ("?sslrootcert=system&sslmode=what", "sslmode=what is none"),
        ] {
            let said = read(query).err().unwrap().to_string();
            assert!(
                said.contains(words) && said.contains("host:5432/base") && !said.contains("secret"),
                "{query}: {said}"
            );
        }
        let said = Address::read("postgres:///code?host=/run/pg&sslmode=require").err().unwrap().to_string();
        assert!(said.contains("a socket is not encrypted"), "{said}");
        assert_eq!(unescaped("a%2Fb%zz%"), "a/b%zz%");
    }
}
