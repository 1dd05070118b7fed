//! The end of a connection in two stages: first the input ends, then answers are no longer needed.

use std::{
    io,
    sync::{Arc, OnceLock},
};
use tokio_util::sync::CancellationToken;

/// The two stages of the end of a connection.
#[derive(Clone, Default)]
pub(crate) struct ConnectionEnd {
    /// Cancelled when the input ends, or the output breaks. Subscriptions then end, but open calls may still answer.
    pub(crate) closing: CancellationToken,
    /// Cancelled when answers are no longer needed. The open calls are then cancelled.
    pub(crate) gone: CancellationToken,
    fault: Arc<OnceLock<io::Error>>,
}

impl ConnectionEnd {
    /// Records that the output can no longer be written.
    pub(crate) fn broke(&self, error: io::Error) {
        // Only the first error counts, because the others follow from it.
        self.fault.set(error).ok();
        self.closing.cancel();
        self.gone.cancel();
    }

    /// Returns the reason why the output could not be written, unless the client had simply disconnected.
    pub(crate) fn fault(&self) -> Option<io::Error> {
        let fault = self.fault.get().filter(|error| error.kind() != io::ErrorKind::BrokenPipe)?;
        Some(io::Error::new(fault.kind(), fault.to_string()))
    }
}
