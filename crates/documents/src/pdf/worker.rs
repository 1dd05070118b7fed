//! Runs each reader of a PDF file on its own thread, so that no file can block the caller or overflow its stack.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::PdfError;

/// The time limit and cancellation flag of a running PDF reader.
#[derive(Debug, Clone)]
pub(super) struct Clock {
    end: Option<Instant>,
    seconds: u64,
    abandoned: Arc<AtomicBool>,
}

/// Number of running PDF readers, including those whose caller has stopped waiting.
static RUNNING: AtomicUsize = AtomicUsize::new(0);
const MOST_RUNNING: usize = 16;
/// Stack size of a reader's thread, in bytes: far more than the parser can use within its nesting limits.
const STACK: usize = 64 << 20;

impl Clock {
    fn new(deadline: Duration) -> Self {
        let end = Instant::now().checked_add(deadline);
        Self { end, seconds: deadline.as_secs(), abandoned: Arc::new(AtomicBool::new(false)) }
    }

    /// Fails if the time limit of the reader is reached or its caller has stopped waiting.
    pub(super) fn check(&self) -> Result<(), PdfError> {
        let late = self.end.is_some_and(|end| Instant::now() >= end);
        if late || self.abandoned.load(Ordering::Relaxed) { Err(self.timed_out()) } else { Ok(()) }
    }

    fn timed_out(&self) -> PdfError {
        PdfError::TimedOut { seconds: self.seconds }
    }
}

/// Runs `work`, which reads a PDF file, on a thread with a large stack, and waits for it at most until the deadline.
pub(super) fn run<T: Send + 'static>(
    deadline: Duration,
    work: impl FnOnce(&Clock) -> Result<T, PdfError> + Send + 'static,
) -> Result<T, PdfError> {
    let place = ReaderSlot::take()?;
    let clock = Clock::new(deadline);
    let inner = clock.clone();
    let (send, receive) = sync_channel(1);
    let started = thread::Builder::new().name("pdf".to_owned()).stack_size(STACK).spawn(move || {
        let result = catch_unwind(AssertUnwindSafe(|| work(&inner)));
        drop(place);
        // Sending fails if the caller has stopped waiting, and the result is then not needed.
        let _ = send.send(result.unwrap_or_else(|_| Err(gave_up())));
    });
    if started.is_err() {
        return Err(PdfError::Busy { running: RUNNING.load(Ordering::Relaxed) });
    }
    match receive.recv_timeout(deadline) {
        Ok(result) => result,
        Err(RecvTimeoutError::Disconnected) => Err(gave_up()),
        Err(RecvTimeoutError::Timeout) => {
            clock.abandoned.store(true, Ordering::Relaxed);
            Err(clock.timed_out())
        }
    }
}

fn gave_up() -> PdfError {
    PdfError::Garbled { why: "the PDF's structure is not supported".to_owned() }
}

/// One of the limited number of running readers; dropping the value makes room for another.
struct ReaderSlot;

impl ReaderSlot {
    fn take() -> Result<Self, PdfError> {
        let taken = RUNNING.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |running| {
            (running < MOST_RUNNING).then_some(running + 1)
        });
        taken.map(|_| Self).map_err(|running| PdfError::Busy { running })
    }
}

impl Drop for ReaderSlot {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::Relaxed);
    }
}
