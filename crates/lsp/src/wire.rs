//! The connection to one server: requests find their replies, and its own requests are answered.

use std::collections::HashMap;
use std::io::{BufReader, Read};
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};

use serde_json::{Value, json};
use tokio::sync::oneshot;
use toolpost_process::Wires;

use crate::framing::{self, Unframed};
use crate::message::{self, Message, Refusal};

/// How many bytes may wait until a server reads them.
const QUEUED: usize = 64 * 1024 * 1024;
/// How much stack a thread gets that reads or writes.
const STACK: usize = 512 * 1024;

/// Hears what a server says by itself.
pub(crate) trait Listener: Send + Sync + 'static {
    /// Hears news.
    fn news(&self, method: &str, params: &Value);
    /// Answers a request.
    fn request(&self, method: &str, params: &Value) -> Result<Value, Refusal>;
    /// Hears that nothing more will come, and why.
    fn over(&self, why: &Over);
}

/// Why a connection is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Over {
    /// The server closed it, as it does when it ends.
    Closed,
    /// It wrote what is no message.
    Garbled(String),
    /// It does not read what it is sent.
    Deaf,
}

/// Why a request has no reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unanswered {
    Over(Over),
    Refused(Refusal),
}

/// The connection to one server; copies share it.
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
    asked: HashMap<i64, oneshot::Sender<Result<Value, Unanswered>>>,
    over: Option<Over>,
}

impl Wire {
    /// Reads and writes from now on; a message of the server has at most `longest` bytes.
    pub(crate) fn new(wires: Wires, longest: usize, listener: Arc<dyn Listener>) -> std::io::Result<Self> {
        let (outbox, inbox) = mpsc::channel::<Vec<u8>>();
        let wire = Self(Arc::new(Shared {
            pending: Mutex::default(),
            next: AtomicI64::new(1),
            outbox,
            queued: AtomicUsize::new(0),
        }));
        let Wires { mut input, output, mut errors } = wires;
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
            // It may quote files that may not be read: it is taken, so that the server goes on, and told to nobody.
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

    /// Asks, and waits for the reply; a request that nobody waits for any more is cancelled.
    pub(crate) async fn request(&self, method: &str, params: &Value) -> Result<Value, Unanswered> {
        let id = self.0.next.fetch_add(1, Ordering::Relaxed);
        let (tell, reply) = oneshot::channel();
        {
            let mut pending = self.pending();
            if let Some(over) = &pending.over {
                return Err(Unanswered::Over(over.clone()));
            }
            pending.asked.insert(id, tell);
        }
        let mut asked = Asked { wire: self, id, waits: true };
        self.send(message::request(id, method, params));
        let reply = reply.await;
        asked.waits = false;
        // Whoever would tell is gone only when the connection is.
        reply.unwrap_or_else(|_| Err(Unanswered::Over(Over::Closed)))
    }

    /// Tells news.
    pub(crate) fn tell(&self, method: &str, params: &Value) {
        self.send(message::news(method, params));
    }

    /// Ends it: whoever waits is told why, and nobody waits again.
    pub(crate) fn end(&self, why: &Over) {
        let mut pending = self.pending();
        pending.over.get_or_insert_with(|| why.clone());
        for (_, asked) in pending.asked.drain() {
            // Who has gone meanwhile need not know.
            let _ = asked.send(Err(Unanswered::Over(why.clone())));
        }
    }

    fn send(&self, body: Vec<u8>) {
        let length = body.len();
        if self.0.queued.fetch_add(length, Ordering::Relaxed) + length > QUEUED {
            self.end(&Over::Deaf);
            return;
        }
        // Where nobody writes any more the reader hears of it, too.
        let _ = self.0.outbox.send(body);
    }

    /// Takes one message from the server.
    fn take(
        &self,
        output: &mut BufReader<std::io::PipeReader>,
        longest: usize,
        listener: &dyn Listener,
    ) -> Result<(), Over> {
        let body = framing::read(output, longest).map_err(|fault| match fault {
            Unframed::Ended | Unframed::Cut | Unframed::Io(_) => Over::Closed,
            Unframed::Garbage(_) | Unframed::TooLong { .. } => Over::Garbled(fault.to_string()),
        })?;
        match Message::read(&body).map_err(Over::Garbled)? {
            Message::Reply(id, reply) => {
                // One that was cancelled has nobody who waits.
                if let Some(asked) = self.pending().asked.remove(&id) {
                    let _ = asked.send(reply.map_err(Unanswered::Refused));
                }
            }
            Message::Request(id, method, params) => {
                let reply = listener.request(&method, &params);
                self.send(message::reply(&id, reply));
            }
            Message::News(method, params) => listener.news(&method, &params),
            // Whoever waits for it is told that it is late.
            Message::Stray(_) => {}
        }
        Ok(())
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        locked(&self.0.pending)
    }
}

/// A request that somebody waits for.
struct Asked<'a> {
    wire: &'a Wire,
    id: i64,
    waits: bool,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if self.waits && self.wire.pending().asked.remove(&self.id).is_some() {
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
