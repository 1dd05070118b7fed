//! The connection to one server: matches replies to requests, and answers the server's requests.

use std::collections::HashMap;
use std::io::{BufReader, Read};
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};

use serde_json::{Value, json};
use tokio::sync::oneshot;
use toolpost_process::ServicePipes;

use crate::framing::{self, FramingError};
use crate::message::{self, Message, Refusal};

/// Maximum number of bytes that wait until a server reads them.
const QUEUED: usize = 64 * 1024 * 1024;
/// Stack size of the reader and writer threads, in bytes.
const STACK: usize = 512 * 1024;

/// Receiver of a server's notifications and requests.
pub(crate) trait Listener: Send + Sync + 'static {
    /// Handles a notification.
    fn news(&self, method: &str, params: &Value);
    /// Answers a request.
    fn request(&self, method: &str, params: &Value) -> Result<Value, Refusal>;
    /// Handles the end of the connection, with its reason.
    fn over(&self, why: &ConnectionEnd);
}

/// The reason why a connection has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ConnectionEnd {
    /// The server closed the connection, as servers do when they exit.
    Closed,
    /// The server wrote an invalid message.
    Garbled(String),
    /// The server does not read its input.
    Deaf,
}

/// The reason why a request has no reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RequestError {
    ConnectionEnd(ConnectionEnd),
    Refused(Refusal),
}

/// The connection to one server. Clones are cheap and share the connection.
#[derive(Clone)]
pub(crate) struct Wire(Arc<Shared>);

struct Shared {
    pending: Mutex<Pending>,
    next: AtomicI64,
    outbox: mpsc::Sender<Vec<u8>>,
    queued: AtomicUsize,
}

#[derive(Default)]
struct Pending {
    replies: HashMap<i64, oneshot::Sender<Result<Value, RequestError>>>,
    over: Option<ConnectionEnd>,
}

impl Wire {
    /// Starts reading and writing; a message of the server has at most `longest` bytes.
    pub(crate) fn new(
        wires: ServicePipes,
        longest: usize,
        listener: Arc<dyn Listener>,
    ) -> std::io::Result<Self> {
        let (outbox, inbox) = mpsc::channel::<Vec<u8>>();
        let wire = Self(Arc::new(Shared {
            pending: Mutex::default(),
            next: AtomicI64::new(1),
            outbox,
            queued: AtomicUsize::new(0),
        }));
        let ServicePipes { mut input, output, mut errors } = wires;
        let weak = Arc::downgrade(&wire.0);
        thread("lsp-write", move || {
            for body in inbox {
                let written = framing::write(&mut input, &body);
                let Some(shared) = weak.upgrade() else { break };
                shared.queued.fetch_sub(body.len(), Ordering::Relaxed);
                if written.is_err() {
                    break;
                }
            }
        })?;
        thread("lsp-errors", move || {
            let mut piece = [0; 1024];
            // Standard error is read, so that the server does not block. It is discarded, because it may quote
            // files that the policy does not allow to be read.
            while let Ok(1..) = errors.read(&mut piece) {}
        })?;
        let reading = wire.clone();
        thread("lsp-read", move || {
            let mut output = BufReader::new(output);
            let over = loop {
                match reading.take(&mut output, longest, &*listener) {
                    Ok(()) => {}
                    Err(over) => break over,
                }
            };
            reading.end(&over);
            listener.over(&over);
        })?;
        Ok(wire)
    }

    /// Sends a request and waits for the reply; dropping the future cancels the request.
    pub(crate) async fn request(&self, method: &str, params: &Value) -> Result<Value, RequestError> {
        let id = self.0.next.fetch_add(1, Ordering::Relaxed);
        let (tell, reply) = oneshot::channel();
        {
            let mut pending = self.pending();
            if let Some(over) = &pending.over {
                return Err(RequestError::ConnectionEnd(over.clone()));
            }
            pending.replies.insert(id, tell);
        }
        let mut request = PendingRequest { wire: self, id, waits: true };
        self.send(message::request(id, method, params));
        let reply = reply.await;
        request.waits = false;
        // The channel closes only with the connection.
        reply.unwrap_or_else(|_| Err(RequestError::ConnectionEnd(ConnectionEnd::Closed)))
    }

    /// Sends a notification.
    pub(crate) fn tell(&self, method: &str, params: &Value) {
        self.send(message::news(method, params));
    }

    /// Stops the connection; pending and later requests fail with the reason.
    pub(crate) fn end(&self, why: &ConnectionEnd) {
        let mut pending = self.pending();
        pending.over.get_or_insert_with(|| why.clone());
        for (_, sender) in pending.replies.drain() {
            // Sending fails if the caller has stopped waiting.
            let _ = sender.send(Err(RequestError::ConnectionEnd(why.clone())));
        }
    }

    fn send(&self, body: Vec<u8>) {
        let length = body.len();
        if self.0.queued.fetch_add(length, Ordering::Relaxed) + length > QUEUED {
            self.end(&ConnectionEnd::Deaf);
            return;
        }
        // Sending fails only after the writer thread has ended. That closes the server's input, and when the server
        // exits, the reader thread ends the connection.
        let _ = self.0.outbox.send(body);
    }

    /// Handles one message from the server.
    fn take(
        &self,
        output: &mut BufReader<std::io::PipeReader>,
        longest: usize,
        listener: &dyn Listener,
    ) -> Result<(), ConnectionEnd> {
        let body = framing::read(output, longest).map_err(|fault| match fault {
            FramingError::Ended | FramingError::Cut | FramingError::Io(_) => ConnectionEnd::Closed,
            FramingError::Garbage(_) | FramingError::Endless | FramingError::TooLong { .. } => {
                ConnectionEnd::Garbled(fault.to_string())
            }
        })?;
        match Message::read(&body).map_err(ConnectionEnd::Garbled)? {
            Message::Reply(id, reply) => {
                // A cancelled request has no receiver.
                if let Some(sender) = self.pending().replies.remove(&id) {
                    let _ = sender.send(reply.map_err(RequestError::Refused));
                }
            }
            Message::Request(id, method, params) => {
                let reply = listener.request(&method, &params);
                self.send(message::reply(&id, reply));
            }
            Message::News(method, params) => listener.news(&method, &params),
            // The error names no request, so the caller of the affected request gets a timeout.
            Message::Stray(_) => {}
        }
        Ok(())
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        locked(&self.0.pending)
    }
}

/// A pending request.
struct PendingRequest<'a> {
    wire: &'a Wire,
    id: i64,
    waits: bool,
}

impl Drop for PendingRequest<'_> {
    fn drop(&mut self) {
        if self.waits && self.wire.pending().replies.remove(&self.id).is_some() {
            self.wire.tell("$/cancelRequest", &json!({ "id": self.id }));
        }
    }
}

fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new().name(name.to_owned()).stack_size(STACK).spawn(work).map(drop)
}

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
