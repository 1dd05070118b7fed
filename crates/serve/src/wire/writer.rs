//! Messages to lines, one at a time.

use super::Ends;
use rmcp::{
    model::{ErrorData, RequestId},
    service::{RoleServer, TxJsonRpcMessage},
};
use std::{io, sync::Arc};
use tokio::{
    io::{AsyncWrite, AsyncWriteExt},
    sync::Mutex,
};

/// What goes to the client.
pub(crate) type ToClient = TxJsonRpcMessage<RoleServer>;

/// The most that is kept of the memory in which messages are written down; a text may be given six times its room.
const KEPT: usize = 4 * 1024 * 1024;

/// Where lines go, and the memory in which each is written down before.
struct Output {
    stream: Box<dyn AsyncWrite + Send + Unpin>,
    line: Vec<u8>,
}

/// Writes messages as lines.
#[derive(Clone)]
pub(crate) struct Writer {
    output: Arc<Mutex<Output>>,
    ends: Ends,
}

impl Writer {
    /// Writes to an output; what goes wrong there ends the connection.
    pub(crate) fn new(output: impl AsyncWrite + Send + Unpin + 'static, ends: Ends) -> Self {
        let output = Output { stream: Box::new(output), line: Vec::new() };
        Self { output: Arc::new(Mutex::new(output)), ends }
    }

    /// Writes one message.
    pub(crate) async fn write(&self, message: &ToClient) -> io::Result<()> {
        let written = self.output.lock().await.write(message).await;
        if let Err(error) = &written {
            self.ends.broke(io::Error::new(error.kind(), error.to_string()));
        }
        written
    }

    /// Refuses a message.
    pub(crate) async fn refuse(&self, error: ErrorData, id: Option<RequestId>) -> io::Result<()> {
        self.write(&ToClient::error(error, id)).await
    }
}

impl Output {
    async fn write(&mut self, message: &ToClient) -> io::Result<()> {
        self.line.clear();
        // Most of a message is text, of which this library escapes many bytes at once.
        sonic_rs::to_writer(&mut self.line, message).map_err(io::Error::other)?;
        self.line.push(b'\n');
        let written = self.stream.write_all(&self.line).await;
        self.line.clear();
        self.line.shrink_to(KEPT);
        written?;
        self.stream.flush().await
    }
}
