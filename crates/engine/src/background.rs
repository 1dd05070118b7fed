//! Background threads: work that continues after the call that started it.

use std::sync::{
    Arc, Weak,
    atomic::{AtomicBool, Ordering},
};
use toolpost_workspace::lower_priority;

/// Runs work on a background thread of low priority. The flag `running` is set meanwhile; does nothing if it is set
/// already. The owner of the work keeps the flag: the work receives a function that returns true once the owner has
/// dropped it, and must end then.
pub(crate) fn background(
    name: &str,
    running: &Arc<AtomicBool>,
    work: impl FnOnce(&(dyn Fn() -> bool + Sync)) + Send + 'static,
) {
    if running.swap(true, Ordering::AcqRel) {
        return;
    }
    let turn = Turn(Arc::downgrade(running));
    let thread = move || {
        lower_priority();
        work(&|| turn.0.strong_count() == 0);
    };
    // If the thread cannot be started, its closure is dropped, and the turn with it.
    let _ = std::thread::Builder::new().name(name.to_owned()).spawn(thread);
}

/// The turn of a background thread. It clears the flag also if the work panics, so that the next call can start the
/// work again.
struct Turn(Weak<AtomicBool>);

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(running) = self.0.upgrade() {
            running.store(false, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn one_thread_works_for_a_flag_and_a_panic_frees_it() {
        let running = Arc::new(AtomicBool::new(false));
        let (go, wait) = channel::<()>();
        let (begun, begins) = channel();
        background("first", &running, move |_| {
            begun.send("first").unwrap();
            let _ = wait.recv();
            panic!("the test ends the work");
        });
        assert_eq!(begins.recv(), Ok("first"));
        let (done, end) = channel::<()>();
        background("second", &running, move |_| drop(done));
        // The second work was dropped without a run, so its end of the channel is closed.
        assert!(end.recv().is_err() && running.load(Ordering::Acquire));
        drop(go);
        while running.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        let (done, end) = channel();
        background("third", &running, move |gone| done.send(gone()).unwrap());
        assert_eq!(end.recv(), Ok(false));
    }

    #[test]
    fn work_learns_that_its_owner_is_gone() {
        let running = Arc::new(AtomicBool::new(false));
        let (go, wait) = channel::<()>();
        let (done, end) = channel();
        background("work", &running, move |gone| {
            let _ = wait.recv();
            done.send(gone()).unwrap();
        });
        drop(running);
        drop(go);
        assert_eq!(end.recv(), Ok(true));
    }
}
