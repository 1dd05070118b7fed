//! Sends something to a service that the operator named, and gives its answer: one request a connection, no leading elsewhere.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// How long a service may take to be reached, and to answer.
const PATIENCE: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(120));
/// How long whoever waits goes without asking whether to stop.
const PAUSE: Duration = Duration::from_millis(100);
/// The longest answer.
const LONGEST: usize = 256 << 20;
/// How much of a refusal is told.
const TOLD: usize = 300;

/// A service, and the key that it wants.
#[derive(Clone)]
pub(crate) struct Post {
    host: String,
    port: u16,
    path: String,
    key: Option<String>,
}

/// Why a service gives no answer.
#[derive(Debug, thiserror::Error)]
pub enum PostError {
    /// Its address cannot be used.
    #[error("`{address}` cannot be used: {why}; write it as http://127.0.0.1:11434/v1")]
    Address {
        /// The address.
        address: String,
        /// Why.
        why: &'static str,
    },
    /// It is not reached, or stops in the middle.
    #[error("{place} cannot be reached: {fault}; start the service, or look at its address")]
    Unreachable {
        /// The service.
        place: String,
        /// What the system said.
        fault: io::Error,
    },
    /// It refuses.
    #[error("{place} answered {status}{said}; {next}")]
    Refused {
        /// The service.
        place: String,
        /// How it refuses.
        status: String,
        /// What it said to that.
        said: String,
        /// What to do.
        next: &'static str,
    },
    /// It is no such service.
    #[error("{place} does not speak HTTP: it begins with {begins:?}; look at its address")]
    Foreign {
        /// The service.
        place: String,
        /// How its answer begins.
        begins: String,
    },
    /// Whoever asked wants no answer any more.
    #[error("it was stopped before {place} had answered")]
    Stopped {
        /// The service.
        place: String,
    },
}

impl std::fmt::Debug for Post {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The key is nobody's to read.
        out.debug_struct("Post")
            .field("place", &self.place())
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl Post {
    /// Reads an address.
    pub(crate) fn new(address: &str, key: Option<String>) -> Result<Self, PostError> {
        let bad = |why| PostError::Address { address: address.to_owned(), why };
        if address.starts_with("https://") {
            return Err(bad("TLS is not spoken; let a proxy on this machine speak it"));
        }
        let rest = address.strip_prefix("http://").ok_or_else(|| bad("it does not begin with http://"))?;
        let (place, path) = rest.split_once('/').ok_or_else(|| bad("it names no path"))?;
        if place.contains('@') {
            return Err(bad("a name and a password have no place in it"));
        }
        if !address.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(bad("it holds spaces, or what is not ASCII"));
        }
        if key.as_ref().is_some_and(|key| !key.bytes().all(|byte| byte.is_ascii_graphic())) {
            return Err(bad("the key for it holds spaces, or what is not ASCII"));
        }
        let (host, port) = match place.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => {
                (host, port.parse().map_err(|_| bad("its port is no number up to 65535"))?)
            }
            _ => (place, 80),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        if host.is_empty() {
            return Err(bad("it names no host"));
        }
        Ok(Self { host: host.to_owned(), port, path: format!("/{path}"), key })
    }

    pub(crate) fn place(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// Sends JSON, and gives the body of the answer.
    pub(crate) fn send(&self, body: &[u8], stop: &dyn Fn() -> bool) -> Result<Vec<u8>, PostError> {
        let unreachable = |fault| PostError::Unreachable { place: self.place(), fault };
        let mut stream = self.connect().map_err(unreachable)?;
        let key = self.key.as_ref().map(|key| format!("Authorization: Bearer {key}\r\n")).unwrap_or_default();
        let head = format!(
            "POST {} HTTP/1.1\r\nHost: {}\r\n{key}Content-Type: application/json\r\nAccept: application/json\r\n\
             Connection: close\r\nContent-Length: {}\r\n\r\n",
            self.path,
            self.place(),
            body.len()
        );
        stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)).map_err(unreachable)?;
        let answer = self.read(&mut stream, stop)?;
        self.body(&answer)
    }

    fn connect(&self) -> io::Result<TcpStream> {
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        for address in (self.host.as_str(), self.port).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, PATIENCE.0) {
                Ok(stream) => {
                    stream.set_read_timeout(Some(PAUSE))?;
                    stream.set_write_timeout(Some(PATIENCE.1))?;
                    return Ok(stream);
                }
                Err(fault) => last = fault,
            }
        }
        Err(last)
    }

    /// Reads an answer to its end, or to the end that it names.
    fn read(&self, stream: &mut TcpStream, stop: &dyn Fn() -> bool) -> Result<Vec<u8>, PostError> {
        let until = Instant::now() + PATIENCE.1;
        let late = || io::Error::from(io::ErrorKind::TimedOut);
        let (mut out, mut piece) = (Vec::new(), vec![0; 64 << 10]);
        loop {
            if stop() {
                return Err(PostError::Stopped { place: self.place() });
            }
            let fault = match stream.read(&mut piece) {
                Ok(0) => return Ok(out),
                Ok(count) => {
                    out.extend_from_slice(&piece[..count]);
                    match whole(&out) {
                        true => return Ok(out),
                        false if out.len() > LONGEST => io::Error::other("its answer has no end"),
                        false => continue,
                    }
                }
                Err(fault) if is_pause(&fault) && Instant::now() < until => continue,
                Err(fault) if is_pause(&fault) => late(),
                Err(fault) => fault,
            };
            return Err(PostError::Unreachable { place: self.place(), fault });
        }
    }

    fn body(&self, answer: &[u8]) -> Result<Vec<u8>, PostError> {
        let foreign = || {
            let first = answer.split(|byte| *byte == b'\r' || *byte == b'\n').next().unwrap_or_default();
            let begins = String::from_utf8_lossy(&first[..first.len().min(40)]).into_owned();
            PostError::Foreign { place: self.place(), begins }
        };
        let (head, body) = parts(answer).ok_or_else(foreign)?;
        let status = head.lines().next().filter(|line| line.starts_with("HTTP/")).ok_or_else(foreign)?;
        let status = status.split_once(' ').ok_or_else(foreign)?.1.trim().to_owned();
        let body = if is_chunked(&head) { unchunked(body).unwrap_or_default() } else { body.to_vec() };
        if status.starts_with('2') {
            return Ok(body);
        }
        let said = String::from_utf8_lossy(&body[..body.len().min(TOLD)]).trim().to_owned();
        let said = if said.is_empty() { said } else { format!(": {said}") };
        let next = match status.get(..3) {
            Some("401" | "403") => "give its key in TOOLPOST_EMBEDDING_KEY",
            Some("429") => "it wants fewer requests: wait, or raise its limits",
            Some(three) if three.starts_with('3') => {
                "it leads elsewhere, which is not followed: configure the address it leads to"
            }
            Some(three) if three.starts_with('5') => "look at what the service writes of it",
            _ => "look at its address and at the name of the model",
        };
        Err(PostError::Refused { place: self.place(), status, said, next })
    }
}

fn is_pause(fault: &io::Error) -> bool {
    matches!(fault.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

/// Takes an answer apart.
fn parts(answer: &[u8]) -> Option<(String, &[u8])> {
    let at = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    Some((String::from_utf8_lossy(&answer[..at]).into_owned(), &answer[at + 4..]))
}

/// Gives the value of a header.
fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    lines.find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

fn is_chunked(head: &str) -> bool {
    header(head, "transfer-encoding").is_some_and(|value| value.to_ascii_lowercase().contains("chunked"))
}

/// Tells whether an answer has come to the end that it names.
fn whole(answer: &[u8]) -> bool {
    let Some((head, body)) = parts(answer) else { return false };
    if is_chunked(&head) {
        return body.ends_with(b"0\r\n\r\n") && unchunked(body).is_some();
    }
    let length = header(&head, "content-length").and_then(|length| length.parse::<usize>().ok());
    length.is_some_and(|length| body.len() >= length)
}

/// Puts together what was sent in pieces; none if the last one is missing.
fn unchunked(mut body: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    loop {
        let at = body.windows(2).position(|two| two == b"\r\n")?;
        let size = std::str::from_utf8(&body[..at]).ok()?;
        let size = usize::from_str_radix(size.split(';').next()?.trim(), 16).ok()?;
        body = &body[at + 2..];
        if size == 0 {
            return Some(out);
        }
        out.extend_from_slice(body.get(..size)?);
        body = body.get(size.checked_add(2)?..)?;
    }
}
