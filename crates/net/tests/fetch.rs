//! Tests of fetching: the hosts and addresses that are contacted, redirects, and limits of size and time.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use toolpost_test_rows::each_async;

use toolpost_net::{
    AllowedAddresses, BodyCompleteness, CacheValidators, FetchError, FetchRequest, FetchResponse,
    ResolveFuture, Resolver, System, WebAddress, fetch,
};

/// A server on the loopback interface, which records the headers of its requests.
#[derive(Debug)]
struct Server {
    port: u16,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Starts a server that answers each connection with a function of the path.
    fn new(answer: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let (recorded, answer) = (Arc::clone(&heads), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, recorded, answer) =
                    (stream.unwrap(), Arc::clone(&recorded), Arc::clone(&answer));
                std::thread::spawn(move || {
                    let mut head = String::new();
                    let mut reader = BufReader::new(stream.try_clone().unwrap());
                    while reader.read_line(&mut head).unwrap_or(0) > 2 {}
                    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
                    recorded.lock().unwrap().push(head);
                    answer(&path, &mut stream);
                });
            }
        });
        Self { port, heads }
    }

    fn saying(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        Self::new(move |_, stream| {
            let _ = stream.write_all(&answer);
        })
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    fn request_heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

fn fetch_request(address: &WebAddress) -> FetchRequest<'_> {
    FetchRequest {
        address,
        accept: "text/markdown, */*;q=0.1",
        known: CacheValidators::default(),
        most: 1 << 20,
        time: Duration::from_secs(20),
        silence: Duration::from_secs(10),
    }
}

/// Fetches a URL. Hosts in `named`, each as `host:port`, may have private addresses.
async fn get(url: &str, named: &[String], resolver: &dyn Resolver) -> Result<FetchResponse, FetchError> {
    let address = WebAddress::parse(url).unwrap();
    get_as(&fetch_request(&address), named, resolver).await
}

async fn get_as(
    request: &FetchRequest<'_>,
    named: &[String],
    resolver: &dyn Resolver,
) -> Result<FetchResponse, FetchError> {
    let gate = |address: &WebAddress| match format!("{}:{}", address.host(), address.port()) {
        place if named.contains(&place) => Ok(AllowedAddresses::Anywhere),
        place if place.starts_with("denied") => Err("no rule allows it".to_owned()),
        _ => Ok(AllowedAddresses::Public),
    };
    fetch(request, resolver, &gate).await
}

/// A resolver that returns the next of its answers at each call, and repeats the last one after that.
struct ChangingResolver(Vec<Vec<&'static str>>, AtomicUsize);

impl Resolver for ChangingResolver {
    fn resolve<'a>(&'a self, _host: &'a str) -> ResolveFuture<'a> {
        let at = self.1.fetch_add(1, Ordering::SeqCst).min(self.0.len() - 1);
        let found: Vec<IpAddr> = self.0[at].iter().map(|address| address.parse().unwrap()).collect();
        Box::pin(std::future::ready(Ok(found)))
    }
}

fn resolver(answers: &[&[&'static str]]) -> ChangingResolver {
    ChangingResolver(answers.iter().map(|answer| answer.to_vec()).collect(), AtomicUsize::new(0))
}

const PLAIN: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nhi";

#[tokio::test]
async fn private_addresses_are_refused_in_every_spelling() {
    let server = Server::saying(PLAIN);
    let port = server.port;
    let hosts = [
        "127.0.0.1",
        "127.1",
        "127.255.255.254",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0",
        "0.0.0.0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "localhost",
        "localhost.",
        "LOCALHOST",
        "%6cocalhost",
        "①②⑦.0.0.1",
        "127。0。0。1",
        "10.0.0.1",
        "192.168.1.1",
        "172.16.0.1",
        "169.254.169.254",
        "100.100.100.200",
        "100.64.0.1",
        "192.0.0.192",
        "224.0.0.1",
        "255.255.255.255",
        "[fe80::1]",
        "[fc00::1]",
        "[fd00:ec2::254]",
    ];
    each_async(hosts, async |host| {
        let began = Instant::now();
        let failed = get(&format!("http://{host}:{port}/"), &[], &System).await.unwrap_err();
        // Not every system resolves the name with a final dot.
        let is_unknown = host == "localhost." && matches!(failed, FetchError::Unknown { .. });
        assert!(is_unknown || matches!(failed, FetchError::NotPublic { .. }), "{host}: {failed}");
        assert!(began.elapsed() < Duration::from_secs(5), "{host}");
    })
    .await;
    assert_eq!(server.request_heads(), Vec::<String>::new());
    let named = [format!("127.0.0.1:{port}")];
    assert_eq!(get(&server.url("/"), &named, &System).await.unwrap().body, b"hi");
}

#[tokio::test]
async fn only_the_checked_address_is_connected() {
    let server = Server::saying(PLAIN);
    let url = format!("http://name.test:{}/", server.port);
    let named = [format!("name.test:{}", server.port)];
    // A name with a private address, alone or among public ones, is refused.
    for answers in [&["127.0.0.1"][..], &["1.1.1.1", "10.0.0.1"], &["::ffff:127.0.0.1"]] {
        let failed = get(&url, &[], &resolver(&[answers])).await.unwrap_err();
        assert!(matches!(failed, FetchError::NotPublic { .. }), "{answers:?}: {failed}");
    }
    // The second answer differs from the one that was checked. It is not used, because the name is resolved
    // only once.
    let changing = resolver(&[&["127.0.0.1"], &["203.0.113.1"]]);
    assert_eq!(get(&url, &named, &changing).await.unwrap().body, b"hi");
    assert_eq!(changing.1.load(Ordering::SeqCst), 1);
    assert_eq!(server.request_heads().len(), 1);
    let nowhere = resolver(&[&[]]);
    assert!(matches!(get(&url, &[], &nowhere).await.unwrap_err(), FetchError::Unknown { .. }));
}

const MOST: &str = "there were already 10 redirects";

#[tokio::test]
async fn every_redirect_target_is_checked() {
    let other = Server::saying(PLAIN);
    let (to, port) = (other.url("/secret"), other.port);
    let server = Server::new(move |path, stream| {
        let to = match path {
            "/here" => "/there?a=b#c".to_owned(),
            "/there?a=b" => {
                let _ = stream.write_all(PLAIN.as_bytes());
                return;
            }
            "/other" => to.clone(),
            "/name" => "http://denied.example/".to_owned(),
            "/loop" => "/loop".to_owned(),
            "/two" => "/three".to_owned(),
            "/three" => "/two".to_owned(),
            "/file" => "file:///etc/passwd".to_owned(),
            "/credentials" => "http://a:b@127.0.0.1/".to_owned(),
            "/metadata" => "http://169.254.169.254/latest/meta-data/".to_owned(),
            far => format!("{far}1"),
        };
        let _ = write!(stream, "HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
    });
    let named = [format!("127.0.0.1:{}", server.port)];
    let found = get(&server.url("/here"), &named, &System).await.unwrap();
    let hops: Vec<&str> = found.hops.iter().map(WebAddress::as_str).collect();
    assert_eq!((hops, found.body), (vec![&*server.url("/here"), &server.url("/there?a=b")], b"hi".to_vec()));
    let (from, here) = (server.url("/other"), server.url(""));
    let rows = [
        ("/other", "127.0.0.1 resolves to 127.0.0.1, which is a private address".to_owned()),
        ("/metadata", "169.254.169.254 resolves to 169.254.169.254, which is a private address".to_owned()),
        ("/name", "http://denied.example/: no rule allows it".to_owned()),
        (
            "/loop",
            format!("{here}/loop redirects to /loop, which is not followed: the redirects form a loop"),
        ),
        ("/two", format!("{here}/three redirects to /two, which is not followed: the redirects form a loop")),
        (
            "/file",
            format!(
                "{here}/file redirects to file:///etc/passwd, which is not followed: `file:` URLs are not \
                 fetched, only `http:` and `https:`"
            ),
        ),
        (
            "/credentials",
            format!(
                "{here}/credentials redirects to http://a:b@127.0.0.1/, which is not followed: the URL \
                 contains a user name or password before an `@`, which is never sent; remove it"
            ),
        ),
        ("/far", format!("{here}/far1111111111 redirects to /far11111111111, which is not followed: {MOST}")),
    ];
    each_async(rows, async |(path, wanted)| {
        let failed = get(&server.url(path), &named, &System).await.unwrap_err();
        assert_eq!(failed.to_string(), wanted, "{path}");
        if let FetchError::NotPublic { from: hop, .. } | FetchError::NotAllowed { from: hop, .. } = failed {
            assert!(hop.is_some(), "{path}");
        }
    })
    .await;
    assert_eq!(other.request_heads(), Vec::<String>::new(), "{port} {from}");
}

#[tokio::test]
async fn responses_are_limited_in_size_and_time() {
    let zeros = vec![0; 8 << 20];
    let bomb = [b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".to_vec(), gzip(&zeros)].concat();
    let twice =
        [b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\n\r\n".to_vec(), gzip(&gzip(&zeros))].concat();
    let endless = Server::new(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        while stream
            .write_all(b"400\r\n")
            .and_then(|()| stream.write_all(&[b'x'; 1024]))
            .and_then(|()| stream.write_all(b"\r\n"))
            .is_ok()
        {}
    });
    let drip = Server::new(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n");
        while stream.write_all(b"x").is_ok() {
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    // It reads until the client closes the connection.
    let silent = Server::new(|_, stream| drop(stream.read_to_end(&mut Vec::new())));
    let short = Server::saying("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort");
    let head = Server::saying(format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\nhi", "x".repeat(2 << 20)));
    let no_http = Server::saying("SSH-2.0-OpenSSH\r\n");
    let rows = [
        ("a bomb", Server::saying(bomb), "Cut 1048576"),
        ("a bomb in a bomb", Server::saying(twice), "Whole packed"),
        ("endless", endless, "Cut 1048576"),
        ("a byte now and then", drip, "Late some"),
        ("nothing", silent, "late"),
        ("less than was said", short, "Broken 5"),
        ("a long head", head, "silent"),
        ("something else", no_http, "silent"),
    ];
    each_async(rows, async |(what, server, wanted)| {
        let address = WebAddress::parse(&server.url("/")).unwrap();
        let request = FetchRequest { time: Duration::from_secs(2), ..fetch_request(&address) };
        let began = Instant::now();
        let outcome = match get_as(&request, &[format!("127.0.0.1:{}", server.port)], &System).await {
            Ok(FetchResponse { end: BodyCompleteness::Late, body, .. }) => {
                format!("Late {}", if body.is_empty() { "none" } else { "some" })
            }
            Ok(FetchResponse { head, end: BodyCompleteness::Whole, .. }) if head.packed.is_some() => {
                "Whole packed".to_owned()
            }
            Ok(FetchResponse { end: BodyCompleteness::Whole, body, .. }) => format!("Whole {}", body.len()),
            Ok(FetchResponse { end: BodyCompleteness::Cut, body, .. }) => format!("Cut {}", body.len()),
            Ok(FetchResponse { end: BodyCompleteness::Broken(_), body, .. }) => {
                format!("Broken {}", body.len())
            }
            Err(FetchError::Late { .. }) => "late".to_owned(),
            Err(FetchError::Silent { .. }) => "silent".to_owned(),
            Err(other) => other.to_string(),
        };
        assert_eq!(outcome, wanted, "{what}");
        assert!(began.elapsed() < Duration::from_secs(10), "{what}");
    })
    .await;
}

#[tokio::test]
async fn requests_send_only_the_expected_headers() {
    let server = Server::saying(
        "HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nETag: \"t\"\r\nCache-Control: max-age=5\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: 0\r\n\r\n",
    );
    let named = [format!("127.0.0.1:{}", server.port)];
    let address = WebAddress::parse(&server.url("/a?b#c")).unwrap();
    let known = CacheValidators { tag: Some("\"t\""), changed: Some("Sun, 01 Nov 2026 00:00:00 GMT") };
    let found = get_as(&FetchRequest { known, ..fetch_request(&address) }, &named, &System).await.unwrap();
    assert_eq!(
        (found.head.tag.as_deref(), found.head.cache.as_deref(), found.head.content_type.as_deref()),
        (Some("\"t\""), Some("max-age=5"), Some("text/html; charset=utf-8"))
    );
    get(address.as_str(), &named, &System).await.unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let lines = |head: &str| {
        let mut lines: Vec<String> = head.trim().lines().map(str::to_owned).collect();
        lines[1..].sort();
        lines
    };
    let plain = vec![
        "GET /a?b HTTP/1.1".to_owned(),
        "accept-encoding: gzip,br".to_owned(),
        "accept: text/markdown, */*;q=0.1".to_owned(),
        format!("host: 127.0.0.1:{}", server.port),
        format!("user-agent: toolpost/{version}"),
    ];
    let mut conditional = plain.clone();
    conditional.insert(4, "if-modified-since: Sun, 01 Nov 2026 00:00:00 GMT".to_owned());
    conditional.insert(5, "if-none-match: \"t\"".to_owned());
    assert_eq!(
        server.request_heads().iter().map(|head| lines(head)).collect::<Vec<_>>(),
        [conditional, plain]
    );
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    use flate2::{Compression, write::GzEncoder};
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}
