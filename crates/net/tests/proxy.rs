//! The proxy over its listener: what it refuses, and how it says so.

use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use toolpost_net::{Hosts, serve};

/// Requests, and how each is refused.
fn refused(port: u16) -> [(String, &'static str, String); 7] {
    [
        (
            "CONNECT crates.io:443 HTTP/1.1\r\n\r\n".to_owned(),
            "403 Forbidden",
            "Toolpost refused the connection to crates.io:443: no rule allows this host. The operator can allow it with a rule".to_owned(),
        ),
        // Whoever is on the list is not thereby the host itself.
        (
            format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n"),
            "403 Forbidden",
            format!("127.0.0.1 resolves to 127.0.0.1:{port}, which is a private address"),
        ),
        (
            format!("CONNECT 2130706433:{port} HTTP/1.1\r\n\r\n"),
            "403 Forbidden",
            format!("Toolpost refused the connection to 2130706433:{port}: no rule allows this host. The operator can allow it with a rule"),
        ),
        (
            "CONNECT [::ffff:7f00:1]:1 HTTP/1.1\r\n\r\n".to_owned(),
            "403 Forbidden",
            "::ffff:127.0.0.1 resolves to [::ffff:127.0.0.1]:1, which is a private address".to_owned(),
        ),
        (
            format!("GET http://crates.io@localhost:{port}/ HTTP/1.1\r\n\r\n"),
            "403 Forbidden",
            format!("Toolpost refused the connection to crates.io@localhost:{port}: no rule allows this host. The operator can allow it with a rule"),
        ),
        (
            "GET / HTTP/1.1\r\n\r\n".to_owned(),
            "400 Bad Request",
            "ask for `CONNECT host:port`, or for a whole address that begins with `http://`".to_owned(),
        ),
        (
            format!("GET http://a/{} HTTP/1.1\r\n\r\n", "x".repeat(40_000)),
            "400 Bad Request",
            "the head of the request is too long".to_owned(),
        ),
    ]
}

#[tokio::test]
async fn what_may_not_be_reached_is_refused_in_words() {
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
        let mut said = Vec::new();
        // A request that is not read to its end may end the connection early.
        let _ = stream.read_to_end(&mut said).await;
        let said = String::from_utf8(said).unwrap();
        let wanted = (format!("HTTP/1.1 {status}"), format!("{why}\n"));
        let (head, body) = said.split_once("\r\n\r\n").unwrap();
        assert_eq!((head.lines().next().unwrap().to_owned(), body.to_owned()), wanted);
    }
    server.abort();
    // Only hosts that no entry of the list allows: the others have an entry, or were no request.
    let wanted = [("crates.io", 443), ("2130706433", port), ("crates.io@localhost", port)];
    let wanted = wanted.map(|(host, port)| (host.to_owned(), port));
    assert_eq!(*not_listed.lock().unwrap(), wanted);
    behind.set_nonblocking(true).unwrap();
    assert!(behind.accept().is_err(), "nothing came through");
}

/// Listens at some port of this machine.
#[expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test listens")]
fn listen() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").unwrap()
}
