//! A gateway that only allows reading, and limits the number of calls.

use crate::{
    access::Access,
    call::nested::{CallGateway, Calling, Ended, InnerAnswer, InnerCall, May, Offered},
};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio_util::sync::CancellationToken;

/// A gateway that only allows reading, and limits the number of calls of all its users together.
pub(super) struct Reading {
    gateway: Arc<dyn CallGateway>,
    most: usize,
    wanted: Arc<AtomicUsize>,
}

impl Reading {
    pub(super) fn new(gateway: Arc<dyn CallGateway>, most: usize) -> Self {
        Self { gateway, most, wanted: Arc::default() }
    }

    /// Returns the number of calls that were made, and of those that were refused because of the limit.
    pub(super) fn counted(&self) -> (usize, usize) {
        let wanted = self.wanted.load(Ordering::SeqCst);
        (wanted.min(self.most), wanted.saturating_sub(self.most))
    }
}

impl CallGateway for Reading {
    fn call<'a>(&'a self, call: InnerCall, cancel: CancellationToken) -> Calling<'a> {
        if self.wanted.fetch_add(1, Ordering::SeqCst) >= self.most {
            let words = format!(
                "Not made: all {} tool calls of this work are used. Give your answer now, from what you have read.",
                self.most
            );
            return Box::pin(std::future::ready(InnerAnswer::of_words(Ended::Refused, words)));
        }
        self.gateway.call(InnerCall { may: May::Read, ..call }, cancel)
    }

    fn tools(&self) -> Vec<Offered> {
        let reads =
            |tool: &Offered| tool.access.iter().all(|access| matches!(access, Access::Reads | Access::Asks));
        self.gateway.tools().into_iter().filter(reads).collect()
    }

    fn apart(&self) -> Arc<dyn CallGateway> {
        Arc::new(Self { gateway: self.gateway.apart(), most: self.most, wanted: self.wanted.clone() })
    }
}
