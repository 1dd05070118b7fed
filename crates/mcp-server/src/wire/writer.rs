//! Writes messages as lines, one at a time.

use super::ConnectionEnd;
use rmcp::{
    model::{ErrorData, RequestId},
    service::{RoleServer, TxJsonRpcMessage},
};
use std::{io, sync::Arc};
use tokio::{
    io::{AsyncWrite, AsyncWriteExt},
    sync::Mutex,
};

/// A message to the client.
pub(crate) type ToClient = TxJsonRpcMessage<RoleServer>;

/// Maximum size of the output buffer that is kept between messages, in bytes; the serialiser may reserve six
/// times the size of a text.
const KEPT: usize = 4 * 1024 * 1024;

/// The output stream, and the buffer that each line is serialised into.
struct Output {
    stream: Box<dyn AsyncWrite + Send + Unpin>,
    line: Vec<u8>,
}

/// Writes messages as lines.
#[derive(Clone)]
pub(crate) struct Writer {
    output: Arc<Mutex<Output>>,
    ends: ConnectionEnd,
}

impl Writer {
    /// Creates a writer to an output; an error there ends the connection.
    pub(crate) fn new(output: impl AsyncWrite + Send + Unpin + 'static, ends: ConnectionEnd) -> Self {
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

    /// Writes an error in answer to a message.
    pub(crate) async fn refuse(&self, error: ErrorData, id: Option<RequestId>) -> io::Result<()> {
        self.write(&ToClient::error(error, id)).await
    }
}

impl Output {
    async fn write(&mut self, message: &ToClient) -> io::Result<()> {
        self.line.clear();
        // Most of a message is text, and this library escapes many bytes at the same time.
        sonic_rs::to_writer(&mut self.line, message).map_err(io::Error::other)?;
        self.line.push(b'\n');
        let written = self.stream.write_all(&self.line).await;
        self.line.clear();
        self.line.shrink_to(KEPT);
        written?;
        self.stream.flush().await
    }
}
