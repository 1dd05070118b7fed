//! The proxy over its listener: refusals and their messages.

use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use toolpost_net::{Hosts, serve};

/// Requests, and the status and message with which each is refused.
fn refused(port: u16) -> [(String, &'static str, String); 7] {
    [
        (
            "CONNECT crates.io:443 HTTP/1.1\r\n\r\n".to_owned(),
            "403 Forbidden",
            "Toolpost refused the connection to crates.io:443, because no rule allows this host. The \
             operator can allow the host with a rule"
                .to_owned(),
        ),
        // An entry in the list does not make a private address reachable.
        (
            format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n"),
            "403 Forbidden",
            format!("127.0.0.1 resolves to 127.0.0.1:{port}, which is a private address"),
        ),
        (
            format!("CONNECT 2130706433:{port} HTTP/1.1\r\n\r\n"),
            "403 Forbidden",
            format!(
                "Toolpost refused the connection to 2130706433:{port}, because no rule allows this \
                     host. The operator can allow the host with a rule"
            ),
        ),
        (
            "CONNECT [::ffff:7f00:1]:1 HTTP/1.1\r\n\r\n".to_owned(),
            "403 Forbidden",
            "::ffff:127.0.0.1 resolves to [::ffff:127.0.0.1]:1, which is a private address".to_owned(),
        ),
        (
            format!("GET http://crates.io@localhost:{port}/ HTTP/1.1\r\n\r\n"),
            "403 Forbidden",
            format!(
                "Toolpost refused the connection to crates.io@localhost:{port}, because no rule allows \
                     this host. The operator can allow the host with a rule"
            ),
        ),
        (
            "GET / HTTP/1.1\r\n\r\n".to_owned(),
            "400 Bad Request",
            "request `CONNECT host:port`, or a full URL that begins with `http://`".to_owned(),
        ),
        (
            format!("GET http://a/{} HTTP/1.1\r\n\r\n", "x".repeat(40_000)),
            "400 Bad Request",
            "the request headers are too long".to_owned(),
        ),
    ]
}

#[tokio::test]
async fn refused_proxy_requests_get_a_reason() {
    let behind = listen();
    let port = behind.local_addr().unwrap().port();
    let listener = listen();
    let address = listener.local_addr().unwrap();
    let list = [format!("localhost:{port}"), format!("127.0.0.1:{port}"), "[::ffff:7f00:1]:1".to_owned()];
    let not_listed = Arc::new(Mutex::new(Vec::new()));
    let record = Arc::clone(&not_listed);
    let record = move |host: &str, port| record.lock().unwrap().push((host.to_owned(), port));
    let server = tokio::spawn(serve(listener, Hosts::new(list).unwrap(), record));
    for (request, status, why) in refused(port) {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut response = Vec::new();
        // The proxy may close the connection before it has read the whole request, so ignore a read error.
        let _ = stream.read_to_end(&mut response).await;
        let response = String::from_utf8(response).unwrap();
        let wanted = (format!("HTTP/1.1 {status}"), format!("{why}\n"));
        let (head, body) = response.split_once("\r\n\r\n").unwrap();
        assert_eq!((head.lines().next().unwrap().to_owned(), body.to_owned()), wanted);
    }
    server.abort();
    // Only requests for hosts that no entry allows are recorded. The other hosts have an entry, or the
    // request was invalid.
    let wanted = [("crates.io", 443), ("2130706433", port), ("crates.io@localhost", port)];
    let wanted = wanted.map(|(host, port)| (host.to_owned(), port));
    assert_eq!(*not_listed.lock().unwrap(), wanted);
    behind.set_nonblocking(true).unwrap();
    assert!(behind.accept().is_err(), "a refused request reached the server");
}

/// Listens on a free loopback port.
#[expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test listens")]
fn listen() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").unwrap()
}
