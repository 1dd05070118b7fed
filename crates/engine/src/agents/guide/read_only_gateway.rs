//! Gateway for the tool calls of a model, which allows only reading and limits the number of calls.

use crate::{
    access::Access,
    call::nested::{
        CallGateway, CallOutcome, CallableTool, InnerAnswer, InnerCall, NestedCallFuture,
        NestedCallPermissions,
    },
};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio_util::sync::CancellationToken;

/// A gateway for a model's tool calls that allows only reading. Calls through gateways that `apart` creates
/// count towards the same limit.
pub(super) struct ReadOnlyGateway {
    gateway: Arc<dyn CallGateway>,
    most: usize,
    wanted: Arc<AtomicUsize>,
}

impl ReadOnlyGateway {
    pub(super) fn new(gateway: Arc<dyn CallGateway>, most: usize) -> Self {
        Self { gateway, most, wanted: Arc::default() }
    }

    /// Returns the number of calls that were made, and the number that were refused because of the limit.
    pub(super) fn counted(&self) -> (usize, usize) {
        let wanted = self.wanted.load(Ordering::SeqCst);
        (wanted.min(self.most), wanted.saturating_sub(self.most))
    }
}

impl CallGateway for ReadOnlyGateway {
    fn call<'a>(&'a self, call: InnerCall, cancel: CancellationToken) -> NestedCallFuture<'a> {
        if self.wanted.fetch_add(1, Ordering::SeqCst) >= self.most {
            let words = format!(
                "This call was not made, because all {} tool calls of this task are used. Give your answer now, from what you have read.",
                self.most
            );
            return Box::pin(std::future::ready(InnerAnswer::of_words(CallOutcome::Refused, words)));
        }
        self.gateway.call(InnerCall { may: NestedCallPermissions::Read, ..call }, cancel)
    }

    fn tools(&self) -> Vec<CallableTool> {
        let reads = |tool: &CallableTool| {
            tool.access.iter().all(|access| matches!(access, Access::Reads | Access::Asks))
        };
        self.gateway.tools().into_iter().filter(reads).collect()
    }

    fn apart(&self) -> Arc<dyn CallGateway> {
        Arc::new(Self { gateway: self.gateway.apart(), most: self.most, wanted: self.wanted.clone() })
    }
}
