//! Queue of the directories that the threads of a walk have yet to visit.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Pending work of a walk. Parts of open directories are handed out before other directories, so that few
/// directories are open at a time.
pub(super) struct Queue<D, C> {
    state: Mutex<State<D, C>>,
    changed: Condvar,
}

/// A unit of work: a directory to open, or a part of an open directory.
pub(super) enum Task<D, C> {
    Directory(D),
    Chunk(C),
}

struct State<D, C> {
    directories: Vec<D>,
    chunks: Vec<C>,
    workers: usize,
    idle: usize,
    closed: bool,
}

impl<D, C> Queue<D, C> {
    /// Creates an empty queue for one worker thread.
    pub(super) fn new() -> Self {
        let state = State { directories: Vec::new(), chunks: Vec::new(), workers: 1, idle: 0, closed: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Registers another worker thread before it takes its first unit of work.
    pub(super) fn add_worker(&self) {
        self.lock().workers += 1;
    }

    /// Moves directories into the queue. The last directory of the queue is taken first.
    pub(super) fn add_directories(&self, directories: &mut Vec<D>) {
        if directories.is_empty() {
            return;
        }
        let mut state = self.lock();
        state.directories.append(directories);
        self.wake(&state);
    }

    /// Adds the parts of an open directory.
    pub(super) fn add_chunks(&self, chunks: impl Iterator<Item = C>) {
        let mut state = self.lock();
        state.chunks.extend(chunks);
        self.wake(&state);
    }

    /// Takes a unit of work. If there is none, waits until another worker adds one. Returns `None` after the
    /// walk has ended or was stopped.
    pub(super) fn take(&self) -> Option<Task<D, C>> {
        let mut state = self.lock();
        loop {
            if state.closed {
                return None;
            }
            if let Some(chunk) = state.chunks.pop() {
                return Some(Task::Chunk(chunk));
            }
            if let Some(directory) = state.directories.pop() {
                return Some(Task::Directory(directory));
            }
            state.idle += 1;
            if state.idle == state.workers {
                state.closed = true;
                self.changed.notify_all();
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }

    /// Stops the walk for all worker threads.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Returns the number of pending units of work.
    pub(super) fn waiting(&self) -> usize {
        let state = self.lock();
        state.directories.len() + state.chunks.len()
    }

    fn wake(&self, state: &State<D, C>) {
        if state.idle > 0 {
            self.changed.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<D, C>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
