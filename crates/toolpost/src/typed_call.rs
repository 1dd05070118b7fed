//! Calls of operations with typed requests.

use std::{
    future::{Future, IntoFuture},
    pin::Pin,
    sync::Arc,
};
use tokio_util::sync::CancellationToken;
use toolpost_engine::{Engine, Failure, Progress, RunsOn};
use toolpost_runtime::{OperationCall, Runtime};

/// Call of an operation, which runs when it is awaited.
#[must_use = "a call does nothing until it is awaited"]
pub struct TypedCall<O: RunsOn<Engine>> {
    runtime: Arc<Runtime>,
    call: OperationCall<O>,
}

impl<O: RunsOn<Engine>> TypedCall<O> {
    pub(crate) fn new(runtime: Arc<Runtime>, call: OperationCall<O>) -> Self {
        Self { runtime, call }
    }

    /// Reports the progress of the call, as [`Call::on_progress`](crate::Call::on_progress).
    pub fn on_progress(mut self, hear: impl Fn(u64, &str) + Send + Sync + 'static) -> Self {
        self.call.progress = Progress::new(hear);
        self
    }

    /// Cancels the call when the token is cancelled. The output is then a failure, or contains the results so far.
    pub fn cancelled_by(mut self, token: CancellationToken) -> Self {
        self.call.cancel = token;
        self
    }
}

impl<O: RunsOn<Engine>> IntoFuture for TypedCall<O> {
    type Output = Result<O::Output, Failure>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { self.runtime.run(self.call).await })
    }
}
