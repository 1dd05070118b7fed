//! HTTP proxy through which sandboxed programs reach allowed hosts.
//!
//! The proxy supports `CONNECT`, and plain requests with an absolute URL.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::dial::{DialError, dial};
use crate::hosts::{Hosts, split};

/// Maximum size of a request line with its headers, in bytes.
const HEAD: usize = 16 * 1024;

/// Maximum time for which the proxy waits for the request of a program.
const PATIENCE: Duration = Duration::from_secs(30);

/// Maximum number of concurrent connections to the proxy.
const CONNECTIONS: usize = 256;

/// Serves the requests of sandboxed programs until the future is dropped. Programs can reach only hosts on the list, at
/// public addresses. If the list does not allow a host, `refused` is called with the host and port before the program
/// gets its response.
///
/// # Errors
/// If the listener fails.
pub async fn serve<R>(listener: std::net::TcpListener, hosts: Hosts, refused: R) -> io::Result<()>
where
    R: Fn(&str, u16) + Send + Sync + 'static,
{
    let refused = Arc::new(refused);
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    let (hosts, room) = (Arc::new(hosts), Arc::new(Semaphore::new(CONNECTIONS)));
    let mut open = tokio::task::JoinSet::new();
    loop {
        let Ok(place) = Arc::clone(&room).acquire_owned().await else { return Ok(()) };
        let (client, _) = listener.accept().await?;
        while open.try_join_next().is_some() {}
        let (hosts, refused) = (Arc::clone(&hosts), Arc::clone(&refused));
        // Dropping the set of tasks closes the connections that are open.
        open.spawn(async move {
            let _ = answer(client, |host, port| {
                let (hosts, refused) = (Arc::clone(&hosts), Arc::clone(&refused));
                async move {
                    let reached = dial(&hosts, &host, port).await;
                    if matches!(reached, Err(DialError::NotAllowed { .. })) {
                        refused(&host, port);
                    }
                    reached
                }
            })
            .await;
            drop(place);
        });
    }
}

/// A parsed request of a sandboxed program to the proxy.
#[derive(Debug, PartialEq, Eq)]
struct ProxyRequest {
    host: String,
    port: u16,
    /// Request line and headers to forward; `None` for a `CONNECT` tunnel.
    head: Option<String>,
}

/// Serves one connection of a sandboxed program; `reach` connects to the requested host.
async fn answer<S, D, F>(mut client: S, reach: D) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
    D: FnOnce(String, u16) -> F,
    F: Future<Output = Result<TcpStream, DialError>>,
{
    let read = timeout(PATIENCE, head(&mut client)).await;
    let (head, rest) = match read.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())) {
        Ok(read) => read,
        Err(fault) => return refuse(&mut client, "400 Bad Request", &fault.to_string()).await,
    };
    let Some(request) = parse_request(&head) else {
        let why = "request `CONNECT host:port`, or a full URL that begins with `http://`";
        return refuse(&mut client, "400 Bad Request", why).await;
    };
    let mut host = match reach(request.host, request.port).await {
        Ok(host) => host,
        Err(error @ DialError::Unreachable { .. }) => {
            return refuse(&mut client, "502 Bad Gateway", &error.to_string()).await;
        }
        Err(error) => return refuse(&mut client, "403 Forbidden", &error.to_string()).await,
    };
    match &request.head {
        Some(head) => host.write_all(head.as_bytes()).await?,
        None => client.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").await?,
    }
    host.write_all(&rest).await?;
    copy_bidirectional(&mut client, &mut host).await.map(|_| ())
}

/// Reads the request line and headers of a request. Also returns the bytes that were received after them.
async fn head(client: &mut (impl AsyncRead + Unpin)) -> io::Result<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let rest = bytes.split_off(end + 4);
            let head =
                String::from_utf8(bytes).map_err(|_| io::Error::other("the request is not valid UTF-8"))?;
            return Ok((head, rest));
        }
        if bytes.len() > HEAD {
            return Err(io::Error::other("the request headers are too long"));
        }
        if client.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

/// Parses the request line and headers of a request to the proxy; `None` if they are invalid, or the target is neither
/// an `http` URL nor that of a `CONNECT` request.
fn parse_request(head: &str) -> Option<ProxyRequest> {
    let mut lines = head.split("\r\n");
    let mut words = lines.next()?.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_graphic());
    if words.next().is_some() || !is_word(method) || !is_word(target) || !version.starts_with("HTTP/1.") {
        return None;
    }
    if method == "CONNECT" {
        let (host, port) = split(target)?;
        return Some(ProxyRequest { host: host.to_owned(), port: port?, head: None });
    }
    let rest =
        target.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("http://")).and(target.get(7..))?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let (host, port) = split(authority)?;
    let slash = if path.starts_with('/') { "" } else { "/" };
    // The forwarded headers name the host that was checked, and ask the server to close the connection after this
    // request.
    let mut forwarded =
        format!("{method} {slash}{path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n");
    let dropped = ["host", "connection", "proxy-connection", "proxy-authorization", "keep-alive"];
    for line in lines.filter(|line| !line.is_empty()) {
        let (name, _) = line.split_once(':')?;
        if !is_word(name) || line.contains(['\r', '\n']) {
            return None;
        }
        if !dropped.iter().any(|dropped| name.eq_ignore_ascii_case(dropped)) {
            forwarded.push_str(line);
            forwarded.push_str("\r\n");
        }
    }
    forwarded.push_str("\r\n");
    Some(ProxyRequest { host: host.to_owned(), port: port.unwrap_or(80), head: Some(forwarded) })
}

/// Parses any bytes as a request to the proxy, and panics if the headers to forward are not safe.
pub(crate) fn fuzz(mut bytes: &[u8]) {
    use std::task::{Context, Poll, Waker};
    let mut read = std::pin::pin!(head(&mut bytes));
    let read = Future::poll(read.as_mut(), &mut Context::from_waker(Waker::noop()));
    let Poll::Ready(Ok((head, _))) = read else { return };
    let Some(ProxyRequest { head: Some(forwarded), host, .. }) = parse_request(&head) else { return };
    let lines = forwarded.strip_suffix("\r\n\r\n").unwrap_or_else(|| panic!("no end in {forwarded:?}"));
    let mut lines = lines.split("\r\n");
    assert_eq!(lines.next().map(|line| line.split(' ').count()), Some(3), "{forwarded:?}");
    let headers: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(':')).collect();
    let hosts: Vec<&str> =
        headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("host")).map(|(_, host)| *host).collect();
    assert!(hosts.len() == 1 && hosts[0].contains(&host), "{hosts:?} for {host}");
    let count = forwarded.matches('\n').count();
    assert!(count == headers.len() + 2 && forwarded.matches('\r').count() == count, "{forwarded:?}");
}

async fn refuse(client: &mut (impl AsyncWrite + Unpin), status: &str, why: &str) -> io::Result<()> {
    let length = why.len() + 1;
    let response = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{why}\n"
    );
    client.write_all(response.as_bytes()).await?;
    client.shutdown().await
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn proxy_requests_are_parsed() {
        let tunnel = |host: &str, port| Some(ProxyRequest { host: host.to_owned(), port, head: None });
        let plain = |host: &str, port, head: &str| {
            Some(ProxyRequest { host: host.to_owned(), port, head: Some(head.to_owned()) })
        };
        let rows = [
            ("CONNECT crates.io:443 HTTP/1.1\r\nHost: x\r\n\r\n", tunnel("crates.io", 443)),
            ("CONNECT [2606::1]:443 HTTP/1.1\r\n\r\n", tunnel("2606::1", 443)),
            ("CONNECT crates.io HTTP/1.1\r\n\r\n", None),
            ("CONNECT crates.io:443 x HTTP/1.1\r\n\r\n", None),
            ("CONNECT crates.io:443 SSH-2.0\r\n\r\n", None),
            ("GET / HTTP/1.1\r\nHost: crates.io\r\n\r\n", None),
            ("GET https://crates.io/ HTTP/1.1\r\n\r\n", None),
            ("", None),
            (
                "GET http://crates.io/a?b HTTP/1.1\r\nHost: evil.org\r\nProxy-Authorization: x\r\nAccept: */*\r\n\r\n",
                plain(
                    "crates.io",
                    80,
                    "GET /a?b HTTP/1.1\r\nHost: crates.io\r\nConnection: close\r\nAccept: */*\r\n\r\n",
                ),
            ),
            (
                "GET HTTP://crates.io:8080?q HTTP/1.0\r\n\r\n",
                plain(
                    "crates.io",
                    8080,
                    "GET /?q HTTP/1.1\r\nHost: crates.io:8080\r\nConnection: close\r\n\r\n",
                ),
            ),
            // A user name before `@` is not removed, so the host is `crates.io@evil.org`, which no list of hosts
            // allows.
            (
                "GET http://crates.io@evil.org/ HTTP/1.1\r\n\r\n",
                plain(
                    "crates.io@evil.org",
                    80,
                    "GET / HTTP/1.1\r\nHost: crates.io@evil.org\r\nConnection: close\r\n\r\n",
                ),
            ),
            ("GET http://crates.io/ HTTP/1.1\r\nno header\r\n\r\n", None),
            ("GET http://crates.io/ HTTP/1.1\r\nA: b\nHost: evil.org\r\n\r\n", None),
        ];
        each(rows, |(head, wanted)| {
            assert_eq!(parse_request(head), wanted, "{head:?}");
        });
    }

    /// Starts a test server that sends a greeting and then echoes everything.
    async fn host() -> std::net::SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let (mut read, mut write) = stream.split();
            write.write_all(b"heard: ").await.unwrap();
            tokio::io::copy(&mut read, &mut write).await.unwrap();
        });
        address
    }

    #[tokio::test]
    async fn allowed_requests_are_forwarded_to_the_host() {
        let plain = "POST /x HTTP/1.1\r\nHost: a.b\r\nConnection: close\r\nX: y\r\n\r\nbody";
        let rows = [
            (
                "CONNECT a.b:1 HTTP/1.1\r\n\r\nearly",
                ("a.b", 1),
                "HTTP/1.1 200 Connected\r\n\r\nheard: early, late",
            ),
            ("POST http://a.b/x HTTP/1.1\r\nX: y\r\n\r\nbody", ("a.b", 80), &format!("heard: {plain}, late")),
        ];
        for (request, wanted, said) in rows {
            let address = host().await;
            let (mut client, theirs) = tokio::io::duplex(4096);
            let answered = tokio::spawn(answer(theirs, move |host, port| async move {
                assert_eq!((host.as_str(), port), wanted);
                let unreachable = |fault| DialError::Unreachable { host, port, fault };
                TcpStream::connect(address).await.map_err(unreachable)
            }));
            client.write_all(request.as_bytes()).await.unwrap();
            client.write_all(b", late").await.unwrap();
            client.shutdown().await.unwrap();
            let mut heard = String::new();
            client.read_to_string(&mut heard).await.unwrap();
            assert_eq!(heard, said);
            answered.await.unwrap().unwrap();
        }
    }
}
