//! A port of the host's loopback, forwarded to the loopback of a session of sandboxed programs.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Maximum number of concurrent connections to a port.
const CONNECTIONS: usize = 256;

/// Maximum time to connect to the program.
const PATIENCE: Duration = Duration::from_secs(10);

/// Pause after an error of the listener, such as too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// Sockets in the network of the programs that are not connected yet.
pub struct Unconnected {
    /// Connects to 127.0.0.1.
    pub v4: OwnedFd,
    /// Connects to `::1`, if 127.0.0.1 refuses.
    pub v6: Option<OwnedFd>,
}

/// Listens at 127.0.0.1 of the host, and at no other address.
///
/// # Errors
/// `AddrInUse` if another program has the port; `PermissionDenied` if it is reserved.
#[expect(clippy::disallowed_methods, reason = "this opens a port of the host for a session")]
pub fn listen_on_loopback(port: u16) -> io::Result<std::net::TcpListener> {
    std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port))
}

/// Forwards each connection to the same port of the programs' loopback, until it is dropped. `sockets` makes sockets in that
/// network; it may block.
///
/// # Errors
/// If the listener cannot be used.
pub async fn forward<S>(listener: std::net::TcpListener, sockets: S) -> io::Result<()>
where
    S: Fn() -> io::Result<Unconnected> + Send + Sync + 'static,
{
    listener.set_nonblocking(true)?;
    let port = listener.local_addr()?.port();
    let listener = TcpListener::from_std(listener)?;
    let (sockets, room) = (Arc::new(sockets), Arc::new(Semaphore::new(CONNECTIONS)));
    // Dropping the set closes the open connections.
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
            // If the program does not answer, the client's connection is closed.
            if let Ok(mut program) = connect(sockets, port).await {
                let _ = copy_bidirectional(&mut client, &mut program).await;
            }
            drop(place);
        });
    }
}

async fn connect<S>(sockets: Arc<S>, port: u16) -> io::Result<TcpStream>
where
    S: Fn() -> io::Result<Unconnected> + Send + Sync + 'static,
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
