//! Reads the client's input, line by line, and forwards valid messages.

use super::{
    Lane, OpenRequests, Writer,
    incoming::{self, IncomingMessage, Request},
    lines::{Line, Lines},
    open::Admission,
    transport::FromClient,
};
use rmcp::model::{ErrorCode, ErrorData, GetMeta, JsonRpcMessage, ProtocolVersion};
use std::{
    io,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{io::AsyncRead, sync::mpsc};

/// The error code for too many requests: the first that JSON-RPC leaves to servers.
const BUSY: ErrorCode = ErrorCode(-32_000);
/// Maximum size of a line, in bytes.
const MOST: usize = 16 * 1024 * 1024;

/// Function that returns the lane, a group of requests with a common limit, for calls of a tool.
pub(crate) type Lanes = Box<dyn Fn(&str) -> Lane + Send + Sync>;

/// Reads the client's input.
pub(crate) struct Reader<R> {
    lines: Lines<R>,
    writer: Writer,
    open: Arc<OpenRequests>,
    through: mpsc::Sender<FromClient>,
    lane_of: Lanes,
    era: Era,
    last: Instant,
}

/// The era of the protocol that the client uses, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Era {
    /// There was no handshake: each request must declare its protocol version.
    Modern,
    /// There was a handshake.
    Legacy,
}

/// The methods of both eras.
const METHODS: [&str; 4] = ["server/discover", "subscriptions/listen", "tools/call", "tools/list"];
/// The methods that the protocol revision 2026-07-28 removed.
const LEGACY_METHODS: [&str; 3] = ["initialize", "logging/setLevel", "ping"];

/// The state of the connection after a message.
enum Connection {
    Open,
    Gone,
}

impl<R: AsyncRead + Unpin> Reader<R> {
    /// Creates a reader of an input; requests go `through` to the protocol library.
    pub(crate) fn new(
        input: R,
        writer: Writer,
        open: Arc<OpenRequests>,
        through: mpsc::Sender<FromClient>,
        lane_of: Lanes,
    ) -> Self {
        let lines = Lines::new(input, MOST);
        Self { lines, writer, open, through, lane_of, era: Era::Modern, last: Instant::now() }
    }

    /// Reads the input to its end. Returns the time between the last request and the end; `Duration::MAX` if the
    /// connection broke before the end.
    pub(crate) async fn run(mut self) -> io::Result<Duration> {
        loop {
            let (said, bytes) = match self.lines.next().await? {
                Line::Whole(line) => (incoming::parse(line), line.len()),
                Line::TooLong { head, tail } => (incoming::too_long(head, tail, MOST), 0),
                Line::End => return Ok(self.last.elapsed()),
            };
            if matches!(self.hear(said, bytes).await, Connection::Gone) {
                return Ok(Duration::MAX);
            }
        }
    }

    async fn hear(&mut self, said: IncomingMessage, bytes: usize) -> Connection {
        match said {
            IncomingMessage::Request(request) => self.request(*request, bytes).await,
            IncomingMessage::Cancelled(id, _) if !self.open.has(&id) => Connection::Open,
            IncomingMessage::Cancelled(id, message) => {
                // With this lock, a waiting request is forwarded before its cancellation, or not at all.
                let open = Arc::clone(&self.open);
                let _passing = open.passing.lock().await;
                let connection_state = self.pass(*message).await;
                open.leave(&id);
                connection_state
            }
            IncomingMessage::Answer(message) => self.pass(*message).await,
            IncomingMessage::Nothing => Connection::Open,
            IncomingMessage::Wrong(error, id) => connection_state(self.writer.refuse(error, id).await),
        }
    }

    async fn request(&mut self, request: Request, bytes: usize) -> Connection {
        let Request { id, method, tool, message } = request;
        let opens = method == "initialize";
        if let Some(error) = self.undescribed(&message, &method).or_else(|| unserved(&message, &method)) {
            return connection_state(self.writer.refuse(error, Some(id)).await);
        }
        let lane = tool.as_deref().map_or_else(Lane::default, &self.lane_of);
        let connection_state = match self.open.enter(&id, lane, bytes, message) {
            Admission::Now(message) => self.pass(*message).await,
            Admission::Later => Connection::Open,
            Admission::Taken => {
                let what =
                    format!("A request with the id {id} is already open. Give each request its own id.");
                return connection_state(
                    self.writer.refuse(ErrorData::invalid_request(what, None), Some(id)).await,
                );
            }
            Admission::Full => {
                let what = "This request was rejected, because too many requests are waiting. Repeat it \
                            when some of them are answered, or cancel some.";
                let error = ErrorData::new(BUSY, what, None);
                return connection_state(self.writer.refuse(error, Some(id)).await);
            }
        };
        self.last = Instant::now();
        if opens {
            // The next messages rely on the result of the handshake.
            self.era = Era::Legacy;
            self.open.answered(&id).await;
        }
        connection_state
    }

    /// Rejects a request that does not declare its protocol version, if there was no handshake.
    fn undescribed(&self, message: &FromClient, method: &str) -> Option<ErrorData> {
        let JsonRpcMessage::Request(request) = message else { return None };
        if self.era == Era::Legacy || method == "initialize" || method == "ping" {
            return None;
        }
        let missing = request.request.get_meta().missing_required_keys(&ProtocolVersion::V_2026_07_28);
        (!missing.is_empty()).then(|| {
            let missing = missing.join(", ");
            ErrorData::invalid_params(
                format!(
                    "The `_meta` of the request lacks {missing}. Send these fields with each request, \
                         or begin with `initialize`."
                ),
                None,
            )
        })
    }

    async fn pass(&mut self, message: FromClient) -> Connection {
        if self.through.send(message).await.is_ok() { Connection::Open } else { Connection::Gone }
    }
}

/// Rejects a method that the era of the request does not have, or that belongs to a capability that is not
/// declared, because the protocol library would answer some of these with empty lists.
fn unserved(message: &FromClient, method: &str) -> Option<ErrorData> {
    let JsonRpcMessage::Request(request) = message else { return None };
    let version = request.request.get_meta().protocol_version();
    let is_modern = version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
    if METHODS.contains(&method) || (!is_modern && LEGACY_METHODS.contains(&method)) {
        return None;
    }
    let name: String = method.chars().take(80).flat_map(char::escape_default).collect();
    let what = if is_modern && LEGACY_METHODS.contains(&method) {
        format!("The revision 2026-07-28 has no method `{name}`.")
    } else {
        format!("This server has no method `{name}`, because it serves only tools.")
    };
    Some(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, what, None))
}

fn connection_state(written: io::Result<()>) -> Connection {
    if written.is_ok() { Connection::Open } else { Connection::Gone }
}
