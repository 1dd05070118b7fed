//! TCP connections to allowed hosts at public addresses.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;

use crate::address::is_public;
use crate::hosts::{Hosts, plain};

/// Maximum time for a connection to an address.
const PATIENCE: Duration = Duration::from_secs(20);

/// Reason why a host cannot be reached.
#[derive(Debug, thiserror::Error)]
pub enum DialError {
    /// The rules do not allow it.
    #[error("Toolpost refused the connection to {host}:{port}: {why}. The operator can allow it with a rule")]
    NotAllowed {
        /// The host.
        host: String,
        /// Its port.
        port: u16,
        /// The entry that refuses it, or that there is none.
        why: String,
    },
    /// Its name resolves to a private address.
    #[error("{host} resolves to {address}, which is a private address")]
    NotPublic {
        /// The host.
        host: String,
        /// One of its private addresses.
        address: SocketAddr,
    },
    /// It does not resolve, or does not answer.
    #[error("cannot reach {host}:{port}: {fault}")]
    Unreachable {
        /// The host.
        host: String,
        /// Its port.
        port: u16,
        /// The system's error.
        fault: io::Error,
    },
}

/// Connects to an allowed host, at an address that was checked.
pub async fn dial(hosts: &Hosts, host: &str, port: u16) -> Result<TcpStream, DialError> {
    let name = plain(host).filter(|name| hosts.allow(name, port));
    let Some(name) = name else {
        let why = hosts.refusal(host, port);
        return Err(DialError::NotAllowed { host: host.to_owned(), port, why });
    };
    let unreachable = |fault: io::Error| DialError::Unreachable { host: name.clone(), port, fault };
    let late = || io::Error::from(io::ErrorKind::TimedOut);
    let found = timeout(PATIENCE, lookup_host((name.as_str(), port))).await;
    let found: Vec<SocketAddr> = found.map_err(|_| unreachable(late()))?.map_err(unreachable)?.collect();
    // The checked address is used, without another lookup.
    let mut last = match found.iter().find(|address| !is_public(address.ip())) {
        Some(address) => DialError::NotPublic { host: name.clone(), address: *address },
        None => unreachable(io::ErrorKind::NotFound.into()),
    };
    for address in found.iter().filter(|address| is_public(address.ip())) {
        match timeout(PATIENCE, connect(*address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(fault)) => last = unreachable(fault),
            Err(_) => last = unreachable(late()),
        }
    }
    Err(last)
}

async fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}
