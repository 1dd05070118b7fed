//! The lifecycle of an index that contains only file names.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests prepare their own files")]

use std::ffi::OsStr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use toolpost_index_lifecycle::{
    Lifecycle, Order, Patience, Patrol, Phase, Rank, ScanResult, ScanScope, ScannedFile, Stop, Sweep,
    UpdatableIndex, UpdateError, update,
};
use toolpost_workspace::{Options, Workspace, WorkspacePath};

/// An index of file names that reads one file in each step.
struct Names {
    workspace: Workspace,
    lifecycle: Lifecycle<Vec<ScannedFile>>,
    /// The names, in reading order.
    read: Mutex<Vec<String>>,
    /// Set if each step lasts until it must end, and reads nothing.
    is_endless: bool,
    /// The number of further steps of the background thread that panic.
    panics: AtomicUsize,
}

impl UpdatableIndex for Names {
    type UpdateState = Vec<ScannedFile>;
    const THREAD: &'static str = "names";

    fn lifecycle(&self) -> &Lifecycle<Vec<ScannedFile>> {
        &self.lifecycle
    }

    fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    fn covers(_: &OsStr) -> bool {
        true
    }

    fn scan(&self, pending: &mut Vec<ScannedFile>, stop: &Stop<'_>) -> Result<(), UpdateError> {
        let found = Sweep::ruled(|_| true, stop).look(&self.workspace, &ScanScope::All)?;
        let read = self.read.lock().unwrap();
        *pending =
            found.files.into_iter().filter(|file| !read.iter().any(|name| **name == *file.shown)).collect();
        Ok(())
    }

    fn pending(pending: &Vec<ScannedFile>) -> usize {
        pending.len()
    }

    fn has_ranked(pending: &Vec<ScannedFile>, rank: &Rank<'_>) -> bool {
        pending.iter().any(|file| rank(&file.path).is_some())
    }

    fn step(
        &self,
        pending: &mut Vec<ScannedFile>,
        order: Order<'_>,
        phase: Phase,
        ends: &Stop<'_>,
    ) -> Duration {
        let left = self.panics.load(Ordering::Relaxed);
        if phase == Phase::Background && left > 0 {
            self.panics.store(left - 1, Ordering::Relaxed);
            panic!("a step of the background thread fails, as this test wants");
        }
        if self.is_endless {
            while !ends() {
                std::thread::yield_now();
            }
            return Duration::ZERO;
        }
        let order = self.lifecycle.order(order);
        let next = order.sort(pending.iter(), |file| &file.path).first().map(|file| file.shown.clone());
        if let Some(next) = next {
            pending.retain(|file| file.shown != next);
            self.read.lock().unwrap().push(next.to_string());
        }
        Duration::from_millis(1)
    }

    fn complete(&self, _: &mut Vec<ScannedFile>, _: Phase) -> bool {
        false
    }

    fn record_waiting(&self, pending: &mut Vec<ScannedFile>) {
        self.lifecycle.set_progress(self.read.lock().unwrap().len(), pending.len());
    }

    fn due_rescan(_: &Vec<ScannedFile>) -> Option<Patrol> {
        None
    }

    fn differing(&self, _: &ScanResult) -> Vec<WorkspacePath> {
        Vec::new()
    }
}

/// Creates an index of three files in a directory.
fn index() -> (tempfile::TempDir, Arc<Names>) {
    let directory = tempfile::tempdir().unwrap();
    for name in ["a.txt", "b.txt", "c.txt"] {
        std::fs::write(directory.path().join(name), name).unwrap();
    }
    let options = Options { roots: vec![directory.path().to_owned()], ..Options::default() };
    let (workspace, _) = Workspace::open(options).unwrap();
    let (lifecycle, read) = (Lifecycle::new(Vec::new()), Mutex::default());
    (
        directory,
        Arc::new(Names { workspace, lifecycle, read, is_endless: false, panics: AtomicUsize::new(0) }),
    )
}

#[test]
fn update_waits_for_ranked_files_only() {
    let (_directory, index) = index();
    // While the index is paused, the background thread reads nothing, because no file has a rank for it.
    index.lifecycle.pause();
    let rank = |path: &WorkspacePath| path.relative().ends_with("c.txt").then_some(0);
    let end = Instant::now() + Duration::from_secs(60);
    update(&index, &Patience::for_ranked(end, &rank), &|| false).unwrap();
    assert_eq!(
        (index.read.lock().unwrap().clone(), index.lifecycle.progress()),
        (vec!["c.txt".to_owned()], (1, 2))
    );

    index.lifecycle.resume();
    update(&index, &Patience::whole(), &|| false).unwrap();
    let mut read = index.read.lock().unwrap().clone();
    read.sort();
    assert_eq!(
        (read, index.lifecycle.progress()),
        (["a.txt", "b.txt", "c.txt"].map(str::to_owned).to_vec(), (3, 0))
    );
}

#[test]
fn a_new_file_is_read_by_the_next_update() {
    let (directory, index) = index();
    update(&index, &Patience::whole(), &|| false).unwrap();
    std::fs::write(directory.path().join("d.txt"), "").unwrap();
    update(&index, &Patience::whole(), &|| false).unwrap();
    assert_eq!(index.read.lock().unwrap().last().map(String::as_str), Some("d.txt"));
    assert_eq!(index.read.lock().unwrap().len(), 4);
}

#[test]
fn an_update_that_is_stopped_fails_and_reads_nothing() {
    let (_directory, index) = index();
    let stopped = update(&index, &Patience::whole(), &|| true);
    assert!(matches!(stopped, Err(UpdateError::Stopped)), "{stopped:?}");
    assert_eq!(index.read.lock().unwrap().len(), 0);
}

#[test]
fn update_returns_while_another_waits_for_all_files() {
    let (_directory, mut index) = index();
    Arc::get_mut(&mut index).unwrap().is_endless = true;
    let (is_reading, is_answered) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let whole = scope.spawn(|| {
            update(&index, &Patience::whole(), &|| {
                is_reading.store(true, Ordering::Relaxed);
                is_answered.load(Ordering::Relaxed)
            })
        });
        while !is_reading.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        let limit = Instant::now() + Duration::from_secs(20);
        // Several updates, because a first one may find the lock free by chance.
        let answered = (0..20).try_for_each(|_| {
            let soon = Patience::until(Instant::now());
            update(&index, &soon, &|| Instant::now() >= limit)
        });
        is_answered.store(true, Ordering::Relaxed);
        assert!(answered.is_ok(), "{answered:?}");
        assert!(matches!(whole.join().unwrap(), Err(UpdateError::Stopped)));
    });
}

#[test]
fn the_background_thread_starts_again_after_a_panic() {
    let (_directory, index) = index();
    index.panics.store(2, Ordering::Relaxed);
    let limit = Instant::now() + Duration::from_secs(20);
    // A caller without time reads nothing itself, and starts the background thread.
    while index.read.lock().unwrap().len() < 3 {
        update(&index, &Patience::until(Instant::now()), &|| Instant::now() >= limit).unwrap();
    }
    assert_eq!(index.panics.load(Ordering::Relaxed), 0);
}

#[test]
fn a_scan_of_a_root_finds_all_files() {
    let (_directory, index) = index();
    let root = index.workspace.resolve(".").unwrap();
    let sweep = Sweep::ruled(|_| true, &|| false);
    let found = |extent: &ScanScope| -> Vec<String> {
        let found = sweep.look(&index.workspace, extent).unwrap();
        let mut shown: Vec<String> = found.files.iter().map(|file| file.shown.to_string()).collect();
        shown.sort();
        shown
    };
    assert_eq!(found(&ScanScope::At(vec![root])), found(&ScanScope::All));
    assert_eq!(found(&ScanScope::All), ["a.txt", "b.txt", "c.txt"]);
    let one = index.workspace.resolve("b.txt").unwrap();
    assert_eq!(found(&ScanScope::At(vec![one])), ["b.txt"]);
}
