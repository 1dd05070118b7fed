//! A gateway that only allows reading, and limits the number of calls.

use crate::{
    access::Access,
    call::nested::{Calling, Ended, FrontDoor, InnerAnswer, InnerCall, May, Offered},
};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio_util::sync::CancellationToken;

/// A gateway that only allows reading, and limits the number of calls of all its users together.
pub(super) struct Reading {
    door: Arc<dyn FrontDoor>,
    most: usize,
    wanted: Arc<AtomicUsize>,
}

impl Reading {
    pub(super) fn new(door: Arc<dyn FrontDoor>, most: usize) -> Self {
        Self { door, most, wanted: Arc::default() }
    }

    /// Returns the number of calls that were made, and of those that were refused because of the limit.
    pub(super) fn counted(&self) -> (usize, usize) {
        let wanted = self.wanted.load(Ordering::SeqCst);
        (wanted.min(self.most), wanted.saturating_sub(self.most))
    }
}

impl FrontDoor for Reading {
    fn call<'a>(&'a self, call: InnerCall, cancel: CancellationToken) -> Calling<'a> {
        if self.wanted.fetch_add(1, Ordering::SeqCst) >= self.most {
            let words = format!(
                "Not made: all {} tool calls of this work are used. Give your answer now, from what you have read.",
                self.most
            );
            return Box::pin(std::future::ready(InnerAnswer::of_words(Ended::Refused, words)));
        }
        self.door.call(InnerCall { may: May::Read, ..call }, cancel)
    }

    fn tools(&self) -> Vec<Offered> {
        let reads =
            |tool: &Offered| tool.access.iter().all(|access| matches!(access, Access::Reads | Access::Asks));
        self.door.tools().into_iter().filter(reads).collect()
    }

    fn apart(&self) -> Arc<dyn FrontDoor> {
        Arc::new(Self { door: self.door.apart(), most: self.most, wanted: self.wanted.clone() })
    }
}
