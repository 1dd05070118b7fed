//! The URL of a database server, with the settings for the security of its connection.

use std::path::{Path, PathBuf};

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use toolpost_net::{ServerTrust, TlsConfig};
use toolpost_workspace::operator;

use crate::SharedIndexError;

/// The default port of PostgreSQL.
const PORT: u16 = 5432;

/// The names of the URL parameters about connection security.
const MODE: &str = "sslmode";
const ROOTS: &str = "sslrootcert";

/// The location of a database server, and its connection settings.
pub(crate) struct Address {
    pub(crate) config: Config,
    /// The location as displayed to the user, without user name and password.
    pub(crate) place: String,
    pub(crate) host: Host,
    pub(crate) port: u16,
    /// The TLS settings; `None` for an unencrypted connection.
    pub(crate) securing: Option<TlsConfig>,
}

impl Address {
    pub(crate) fn read(address: &str) -> Result<Self, SharedIndexError> {
        let bad = || SharedIndexError::Address(without_password(address));
        if !address.starts_with("postgres://") && !address.starts_with("postgresql://") {
            return Err(bad());
        }
        // With an unescaped `@`, `/` or `?`, a part of the password would count as the host or as a parameter.
        let (_, login, rest) = split(address);
        if login.matches('@').count() > 1 || rest.contains('@') {
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
            return Err(SharedIndexError::Mode {
                place,
                why: "a connection over a Unix socket is not encrypted; omit sslmode and sslrootcert"
                    .to_owned(),
            });
        }
        let secured = vouched.map(|vouched| TlsConfig::new(&name, &vouched)).transpose();
        let securing = secured
            .map_err(|fault| SharedIndexError::Mode { place: place.clone(), why: fault.to_string() })?;
        // An encrypted connection never falls back to plain text, and optional encryption is not supported.
        config.ssl_mode(if securing.is_some() { SslMode::Require } else { SslMode::Disable });
        config.application_name("toolpost");
        Ok(Self { config, place, host, port, securing })
    }
}

/// Removes the security parameters from a URL and returns them separately, because the client library does not support
/// all of them.
fn apart(address: &str) -> (String, Option<String>, Option<PathBuf>) {
    let Some((before, query)) = address.split_once('?') else { return (address.to_owned(), None, None) };
    let (mut mode, mut roots, mut rest) = (None, None, Vec::new());
    for part in query.split('&') {
        // The client library decodes the names, too.
        match part.split_once('=').map(|(name, value)| (unescaped(name), unescaped(value))) {
            Some((name, value)) if name == MODE => mode = Some(value),
            Some((name, value)) if name == ROOTS => roots = Some(PathBuf::from(value)),
            _ => rest.push(part),
        }
    }
    let plain = if rest.is_empty() { before.to_owned() } else { format!("{before}?{}", rest.join("&")) };
    (plain, mode, roots)
}

/// Decodes the percent escapes of a URL, such as `%2F`.
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

/// Returns the certificates to trust, from the URL parameters `sslmode` and `sslrootcert`; `None` for an unencrypted
/// connection.
fn vouched(
    place: &str,
    mode: Option<&str>,
    roots: Option<&Path>,
) -> Result<Option<ServerTrust>, SharedIndexError> {
    let no = |why: String| SharedIndexError::Mode { place: place.to_owned(), why };
    let roots = match roots {
        None => None,
        // As in PostgreSQL's clients, `system` means `verify-full`, and is an error with a weaker mode: anyone can get a
        // certificate that the system trusts, for another name.
        Some(path) if path.as_os_str() == "system" => match mode {
            None | Some("verify-full") => return Ok(Some(ServerTrust::SystemRoots)),
            Some(weaker @ ("disable" | "allow" | "prefer" | "require" | "verify-ca")) => {
                return Err(no(format!(
                    "sslrootcert=system does not allow sslmode={weaker}; use sslmode=verify-full"
                )));
            }
            Some(_) => None,
        },
        Some(path) => {
            let text = operator::read(path)
                .map_err(|error| no(format!("{} cannot be read: {error}", path.display())))?;
            Some(text.ok_or_else(|| no(format!("the certificate file {} does not exist", path.display())))?)
        }
    };
    match (mode, roots) {
        (None | Some("disable"), None) => Ok(None),
        (None | Some("disable"), Some(_)) => {
            Err(no("sslrootcert is set, but sslmode does not require encryption; use sslmode=verify-full"
                .to_owned()))
        }
        (Some("require"), None) => Ok(Some(ServerTrust::Unverified)),
        // As in PostgreSQL's clients, a certificate file in `sslrootcert` means that the server's certificate is
        // verified, even with `sslmode=require`.
        (Some("require" | "verify-ca"), Some(pem)) => Ok(Some(ServerTrust::RootsForAnyName(pem))),
        (Some("verify-ca"), None) => {
            Err(no("sslmode=verify-ca needs sslrootcert=FILE; or use sslmode=verify-full for the system's \
                    certificates"
                .to_owned()))
        }
        (Some("verify-full"), Some(pem)) => Ok(Some(ServerTrust::Roots(pem))),
        (Some("verify-full"), None) => Ok(Some(ServerTrust::SystemRoots)),
        (Some(other @ ("prefer" | "allow")), _) => Err(no(format!(
            "sslmode={other} would continue in plain text if the server does not encrypt; use disable, \
                            require or verify-full"
        ))),
        (Some(other), _) => {
            Err(no(format!("sslmode={other} is not valid; use disable, require, verify-ca or verify-full")))
        }
    }
}

/// Removes the password from a URL. If the end of the password is not certain, for example because it contains an
/// unescaped `/`, the URL is replaced by `…` after the scheme.
#[must_use]
pub fn without_password(address: &str) -> String {
    let (scheme, login, rest) = split(address);
    let scheme = if address.contains("://") { format!("{scheme}://") } else { String::new() };
    let (user, server) = match login.rsplit_once('@') {
        Some((login, server)) => (login.split(':').next(), server),
        None => (None, login),
    };
    let is_certain = scheme.trim_end_matches("://").chars().all(|letter| letter.is_ascii_alphanumeric());
    if !is_certain || rest.contains('@') || !is_server(server) {
        let shown = if is_certain { scheme.as_str() } else { "" };
        return format!("{shown}…");
    }
    let rest = match rest.split_once('?') {
        Some((path, query)) if !query.split('&').all(is_public) => path,
        _ => rest,
    };
    let user = user.map(|user| format!("{user}@")).unwrap_or_default();
    format!("{scheme}{user}{server}{rest}")
}

/// Splits a URL into the scheme, the server with user and password, and the rest, which begins with `/` or `?`.
fn split(address: &str) -> (&str, &str, &str) {
    let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
    let (login, rest) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    (scheme, login, rest)
}

/// Returns whether a text can be a list of host names with ports. Other text can be a part of a password.
fn is_server(text: &str) -> bool {
    text.split(',').all(|host| {
        let port = if host.starts_with('[') { None } else { host.split_once(':') };
        port.is_none_or(|(_, port)| port.chars().all(|digit| digit.is_ascii_digit()))
    })
}

/// Returns whether a URL parameter may be shown: its name is not escaped, and is not that of a password.
fn is_public(parameter: &str) -> bool {
    let is_name = |name: &str| name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    parameter
        .split_once('=')
        .is_some_and(|(name, _)| is_name(name) && !name.to_ascii_lowercase().contains("pass"))
}

#[cfg(test)]
mod tests {
    use super::{Address, unescaped, without_password};
    use toolpost_test_rows::each;

    #[test]
    fn addresses_are_shown_without_passwords() {
        let rows = [
            ("postgres://me:secret@host:1/base", "postgres://me@host:1/base"),
            ("postgres://me:se@cret@host/base", "postgres://me@host/base"),
            ("postgres://me:se/cret@host/base", "postgres://…"),
            ("postgres://me:12/cret@host/base", "postgres://…"),
            ("postgres://me:12?cret@host/base?sslmode=require", "postgres://…"),
            ("postgres://me:se://cret@host/base", "postgres://…"),
            ("me:se://cret@host/base", "…"),
            ("postgres://me:secret", "postgres://…"),
            ("postgres://me:secret/base", "postgres://…"),
            ("postgres://me:se%2Fcret@host:1,other:2/base", "postgres://me@host:1,other:2/base"),
            ("postgres://me:secret@[::1]:1/base", "postgres://me@[::1]:1/base"),
            ("postgres://host/base?password=secret", "postgres://host/base"),
            ("postgres://host/base?password=se@cret", "postgres://…"),
            ("postgres://host/base?sslmode=disable&%70assword=secret", "postgres://host/base"),
            ("postgres://host/base?sslPassword=secret", "postgres://host/base"),
            ("postgres://host/base?sslmode=disable", "postgres://host/base?sslmode=disable"),
            ("me:secret@host", "me@host"),
            ("host", "host"),
        ];
        each(rows, |(address, shown)| {
            assert_eq!(without_password(address), shown);
        });
    }

    #[test]
    fn invalid_index_urls_are_refused() {
        let place = |address: &str| Address::read(address).map(|address| address.place);
        assert_eq!(place("postgres://me:secret@db.example:5433/code").unwrap(), "db.example:5433/code");
        assert_eq!(place("postgresql:///code?host=/run/pg").unwrap(), "/run/pg:5432/code");
        assert_eq!(place("postgres://me:s%2F%3F%40@host/code").unwrap(), "host:5432/code");
        let invalid =
            ["", "db.example", "mysql://host/base", "postgres://", "postgres:///base", "postgres://h:x/b"];
        let unescaped = [
            "postgres://me:se@cret@host/base",
            "postgres://me:se/cret@host/base",
            "postgres://me:12/cret@host/base",
            // The rest of the password must not be read as a parameter, which would lose `sslmode`.
            "postgres://me:12?cret@host/base?sslmode=require",
            "postgres://host/base?application_name=me@work",
        ];
        each(invalid.into_iter().chain(unescaped), |address| {
            let error = place(address).unwrap_err().to_string();
            let is_safe = error.contains("is not the URL of an index") && !error.contains("cret");
            let is_complete = error.contains("in the user, the password and the parameters as `%40`");
            assert!(is_safe && is_complete, "{address}: {error}");
        });
    }

    #[test]
    fn encryption_follows_sslmode_and_is_never_optional() {
        let read = |query: &str| Address::read(&format!("postgres://me:secret@host/base{query}"));
        let secured = |query: &str| read(query).map(|address| address.securing.is_some());
        each(
            [
                ("", false),
                ("?sslmode=disable", false),
                ("?sslmode=require", true),
                ("?connect_timeout=3&sslmode=require", true),
                ("?%73slmode=require", true),
                ("?sslrootcert=system", true),
                ("?sslrootcert=system&sslmode=verify-full", true),
            ],
            |(query, wanted)| {
                assert_eq!(secured(query).unwrap(), wanted, "{query}");
            },
        );
        each(
            [
                ("?sslmode=prefer", "would continue in plain text"),
                ("?sslmode=allow", "would continue in plain text"),
                ("?sslmode=yes", "sslmode=yes is not valid; use disable, require, verify-ca or verify-full"),
                ("?sslmode=verify-ca", "needs sslrootcert=FILE"),
                (
                    "?sslmode=verify-full&sslrootcert=/nowhere/ca%2Epem",
                    "the certificate file /nowhere/ca.pem does not exist",
                ),
                ("?sslrootcert=system&sslmode=what", "sslmode=what is not valid"),
                ("?sslrootcert=system&sslmode=disable", "sslrootcert=system does not allow sslmode=disable"),
                ("?sslrootcert=system&sslmode=allow", "sslrootcert=system does not allow sslmode=allow"),
                ("?sslrootcert=system&sslmode=prefer", "sslrootcert=system does not allow sslmode=prefer"),
                ("?sslmode=require&sslrootcert=system", "sslrootcert=system does not allow sslmode=require"),
                (
                    "?sslmode=verify-ca&sslrootcert=system",
                    "sslrootcert=system does not allow sslmode=verify-ca",
                ),
            ],
            |(query, words)| {
                let error = read(query).err().unwrap().to_string();
                assert!(
                    error.contains(words) && error.contains("host:5432/base") && !error.contains("secret"),
                    "{query}: {error}"
                );
            },
        );
        for query in ["sslmode=require", "sslrootcert=system"] {
            let url = format!("postgres:///code?host=/run/pg&{query}");
            let error = Address::read(&url).err().unwrap().to_string();
            let words = "a Unix socket is not encrypted; omit sslmode and sslrootcert";
            assert!(error.contains(words), "{url}: {error}");
        }
        assert_eq!(unescaped("a%2Fb%zz%"), "a/b%zz%");
    }
}
