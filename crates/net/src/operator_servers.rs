//! Connections to servers that the operator configured; private addresses are allowed.

use std::io;
use std::path::Path;
use std::time::Duration;

use tokio::net::{TcpStream, UnixStream, lookup_host};
use tokio::time::timeout;

/// Connects to a server that the operator configured, at the first of its addresses that answers within `patience`.
///
/// # Errors
/// If the host name has no address, or no address answers.
pub async fn dial_named(host: &str, port: u16, patience: Duration) -> io::Result<TcpStream> {
    let found = timeout(patience, lookup_host((host, port))).await.map_err(|_| late())??;
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the host name has no address");
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

/// Connects to a Unix socket that the operator configured.
///
/// # Errors
/// If the socket does not exist, or does not answer within `patience`.
pub async fn dial_socket(socket: &Path, patience: Duration) -> io::Result<UnixStream> {
    timeout(patience, UnixStream::connect(socket)).await.map_err(|_| late())?
}

fn late() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the service does not answer")
}
