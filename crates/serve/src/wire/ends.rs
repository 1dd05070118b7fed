//! How a connection ends: first it closes, then everything is gone.

use std::{
    io,
    sync::{Arc, OnceLock},
};
use tokio_util::sync::CancellationToken;

/// The two ends of a connection.
#[derive(Clone, Default)]
pub(crate) struct Ends {
    /// Set when the client says no more: subscriptions end, calls may still answer.
    pub(crate) closing: CancellationToken,
    /// Set when nobody waits for answers any more: calls are cancelled.
    pub(crate) gone: CancellationToken,
    fault: Arc<OnceLock<io::Error>>,
}

impl Ends {
    /// Notes that nothing can be written any more.
    pub(crate) fn broke(&self, error: io::Error) {
        // Only the first fault counts: the others follow from it.
        self.fault.set(error).ok();
        self.closing.cancel();
        self.gone.cancel();
    }

    /// Gives why nothing could be written, unless the client had simply gone.
    pub(crate) fn fault(&self) -> Option<io::Error> {
        let fault = self.fault.get().filter(|error| error.kind() != io::ErrorKind::BrokenPipe)?;
        Some(io::Error::new(fault.kind(), fault.to_string()))
    }
}
