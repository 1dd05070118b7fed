//! Connections to servers that the operator named; private addresses are allowed.

use std::io;
use std::path::Path;
use std::time::Duration;

use tokio::net::{TcpStream, UnixStream, lookup_host};
use tokio::time::timeout;

/// Connects to a server that the operator named, at the first of its addresses that answers within
/// `patience`.
///
/// # Errors
/// If it has no address, or none of them answers.
pub async fn dial_named(host: &str, port: u16, patience: Duration) -> io::Result<TcpStream> {
    let found = timeout(patience, lookup_host((host, port))).await.map_err(|_| late())??;
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in found {
        match timeout(patience, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Ok(Err(fault)) => last = fault,
            Err(_) => last = late(),
        }
    }
    Err(last)
}

/// Connects to a Unix socket that the operator named.
///
/// # Errors
/// If it does not exist, or does not answer within `patience`.
pub async fn dial_socket(socket: &Path, patience: Duration) -> io::Result<UnixStream> {
    timeout(patience, UnixStream::connect(socket)).await.map_err(|_| late())?
}

fn late() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "it does not answer")
}
