//! The transport between the connection and the protocol library.

use super::{OpenRequests, Writer, writer::ToClient};
use rmcp::{
    model::JsonRpcMessage,
    service::{RoleServer, RxJsonRpcMessage},
    transport::Transport,
};
use std::{io, sync::Arc};
use tokio::sync::mpsc;

/// A message from the client.
pub(crate) type FromClient = RxJsonRpcMessage<RoleServer>;

/// The transport between the connection and the protocol library.
pub(crate) struct Wire {
    /// The messages that the reader forwards.
    pub(crate) said: mpsc::Receiver<FromClient>,
    /// Writes the answers.
    pub(crate) writer: Writer,
    /// Records which requests were answered.
    pub(crate) open: Arc<OpenRequests>,
}

impl Transport<RoleServer> for Wire {
    type Error = io::Error;

    fn send(&mut self, message: ToClient) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (writer, open) = (self.writer.clone(), Arc::clone(&self.open));
        async move {
            let written = writer.write(&message).await;
            match &message {
                JsonRpcMessage::Response(response) => open.leave(&response.id),
                JsonRpcMessage::Error(error) => error.id.iter().for_each(|id| open.leave(id)),
                JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {}
            }
            written
        }
    }

    async fn receive(&mut self) -> Option<FromClient> {
        self.said.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.said.close();
        Ok(())
    }
}
