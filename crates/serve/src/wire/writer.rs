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

type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// Writes messages as lines.
#[derive(Clone)]
pub(crate) struct Writer {
    output: Arc<Mutex<Output>>,
    ends: Ends,
}

impl Writer {
    /// Writes to an output; what goes wrong there ends the connection.
    pub(crate) fn new(output: impl AsyncWrite + Send + Unpin + 'static, ends: Ends) -> Self {
        Self { output: Arc::new(Mutex::new(Box::new(output))), ends }
    }

    /// Writes one message.
    pub(crate) async fn write(&self, message: &ToClient) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        let written = self.line(&line).await;
        if let Err(error) = &written {
            self.ends.broke(io::Error::new(error.kind(), error.to_string()));
        }
        written
    }

    /// Refuses a message.
    pub(crate) async fn refuse(&self, error: ErrorData, id: Option<RequestId>) -> io::Result<()> {
        self.write(&ToClient::error(error, id)).await
    }

    async fn line(&self, line: &[u8]) -> io::Result<()> {
        let mut output = self.output.lock().await;
        output.write_all(line).await?;
        output.flush().await
    }
}
