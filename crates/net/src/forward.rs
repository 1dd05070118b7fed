//! Port forwarding from the host's loopback interface to the loopback interface of a session's sandboxed
//! programs.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Maximum number of concurrent connections to a forwarded port.
const CONNECTIONS: usize = 256;

/// Maximum time to connect to the sandboxed program.
const PATIENCE: Duration = Duration::from_secs(10);

/// Pause after an error of the listener, such as too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// Unconnected sockets in the network namespace of the sandboxed programs.
pub struct UnconnectedSockets {
    /// An IPv4 socket, which is connected to 127.0.0.1.
    pub v4: OwnedFd,
    /// An IPv6 socket, which is connected to `::1` if 127.0.0.1 refuses the connection; `None` without IPv6.
    pub v6: Option<OwnedFd>,
}

/// Opens a listener on the host, on 127.0.0.1 only.
///
/// # Errors
/// `AddrInUse` if another program uses the port; `PermissionDenied` if the port is reserved.
#[expect(clippy::disallowed_methods, reason = "this opens a port of the host for a session")]
pub fn listen_on_loopback(port: u16) -> io::Result<std::net::TcpListener> {
    std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port))
}

/// Accepts connections to a port of the host, and forwards each to the same port of the sandboxed programs, until the
/// future is dropped. `sockets` creates sockets in the programs' network namespace, and may block.
///
/// # Errors
/// If the listener cannot be used.
pub async fn forward<S>(listener: std::net::TcpListener, sockets: S) -> io::Result<()>
where
    S: Fn() -> io::Result<UnconnectedSockets> + Send + Sync + 'static,
{
    listener.set_nonblocking(true)?;
    let port = listener.local_addr()?.port();
    let listener = ClosingListener(Some(TcpListener::from_std(listener)?));
    let (sockets, room) = (Arc::new(sockets), Arc::new(Semaphore::new(CONNECTIONS)));
    // Dropping the set of tasks closes the connections that are open.
    let mut open = tokio::task::JoinSet::new();
    loop {
        let Ok(place) = Arc::clone(&room).acquire_owned().await else { return Ok(()) };
        while open.try_join_next().is_some() {}
        let Ok((mut client, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let sockets = Arc::clone(&sockets);
        open.spawn(async move {
            // If the sandboxed program does not answer, the client's connection is closed.
            if let Ok(mut program) = connect(sockets, port).await {
                let _ = copy_bidirectional(&mut client, &mut program).await;
            }
            drop(place);
        });
    }
}

/// A listener whose port is closed when it is dropped, even if a child process that is just being started still
/// has a copy of the descriptor.
struct ClosingListener(Option<TcpListener>);

impl ClosingListener {
    async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        match &self.0 {
            Some(listener) => listener.accept().await,
            None => Err(io::ErrorKind::NotConnected.into()),
        }
    }
}

impl Drop for ClosingListener {
    fn drop(&mut self) {
        let listener = self.0.take().and_then(|listener| listener.into_std().ok());
        if let Some(listener) = listener {
            // The descriptor is closed right after this, so an error only means that the port may close a moment later.
            let _ = std::net::TcpStream::from(OwnedFd::from(listener)).shutdown(Shutdown::Both);
        }
    }
}

async fn connect<S>(sockets: Arc<S>, port: u16) -> io::Result<TcpStream>
where
    S: Fn() -> io::Result<UnconnectedSockets> + Send + Sync + 'static,
{
    let made = tokio::task::spawn_blocking(move || sockets()).await.map_err(io::Error::other)??;
    let at = |address: IpAddr| SocketAddr::new(address, port);
    match (connect_to(made.v4, at(Ipv4Addr::LOCALHOST.into())).await, made.v6) {
        (Err(fault), Some(v6)) if fault.kind() == io::ErrorKind::ConnectionRefused => {
            connect_to(v6, at(Ipv6Addr::LOCALHOST.into())).await
        }
        (connected, _) => connected,
    }
}

async fn connect_to(socket: OwnedFd, address: SocketAddr) -> io::Result<TcpStream> {
    let socket = TcpSocket::from_std_stream(socket.into());
    let connected = timeout(PATIENCE, socket.connect(address)).await;
    connected.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The copy stands for the one that a child process has between its fork and its start.
    #[tokio::test]
    async fn a_copy_of_the_listener_does_not_keep_the_port_open() {
        let listener = listen_on_loopback(0).unwrap();
        let (copy, address) = (listener.try_clone().unwrap(), listener.local_addr().unwrap());
        let forwarding = tokio::spawn(forward(listener, || Err(io::ErrorKind::NotConnected.into())));
        TcpStream::connect(address).await.unwrap();
        forwarding.abort();
        assert!(forwarding.await.unwrap_err().is_cancelled());
        let fault = TcpStream::connect(address).await.unwrap_err();
        assert_eq!(fault.kind(), io::ErrorKind::ConnectionRefused);
        drop(copy);
    }
}
