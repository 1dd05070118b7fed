//! TCP connections of the sandbox's proxy to allowed hosts at public addresses.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;

use crate::address::is_public;
use crate::hosts::{Hosts, plain};

/// Maximum time for the lookup of a host name, and for each attempt to connect to an address.
const PATIENCE: Duration = Duration::from_secs(20);

/// Reason why the sandbox's proxy does not connect to a host.
#[derive(Debug, thiserror::Error)]
pub enum DialError {
    /// The list of allowed hosts does not contain the host.
    #[error(
        "Toolpost refused the connection to {host}:{port}, because {why}. The operator can allow the host \
         with a rule"
    )]
    NotAllowed {
        /// The requested host.
        host: String,
        /// The requested port.
        port: u16,
        /// The reason, as a clause: a rule forbids the host, or no rule allows it.
        why: String,
    },
    /// The host name resolves only to private addresses.
    #[error("{host} resolves to {address}, which is a private address")]
    NotPublic {
        /// The requested host.
        host: String,
        /// A private address to which the host name resolves.
        address: SocketAddr,
    },
    /// The host name does not resolve, or the host does not answer.
    #[error("cannot reach {host}:{port}: {fault}")]
    Unreachable {
        /// The requested host.
        host: String,
        /// The requested port.
        port: u16,
        /// The error of the operating system.
        fault: io::Error,
    },
}

/// Connects to a host that the list `hosts` allows, at one of its public addresses.
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
    // Only the addresses that were found above are used, because a second lookup could return others.
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
