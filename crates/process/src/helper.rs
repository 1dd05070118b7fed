//! The helper: this program, or another one, executed once more for a part of a sandbox.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{inner, launcher, tree};

/// The path of the program that contains the inner step.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// True if `inner_step` was called while other threads ran, so that this program cannot be the helper.
static CALLED_LATE: AtomicBool = AtomicBool::new(false);

/// Runs the inner step of a sandbox, or the launcher, if this process was started for that, and then never returns.
///
/// Must be called first in `main`, before any other thread exists. Without it, no sandbox is created through
/// bubblewrap. If other threads run, this program does not become the helper, because the inner step closes
/// descriptors that those threads use.
pub fn inner_step() {
    let mut words = std::env::args_os().skip(1);
    let name = words.next();
    if name.as_deref() == Some(OsStr::new(launcher::NAME)) && !tree::has_other_threads() {
        launcher::run(words);
    }
    if name.as_deref() == Some(OsStr::new(inner::NAME)) {
        inner::take(words.next());
    }
    if tree::has_other_threads() {
        CALLED_LATE.store(true, Ordering::Relaxed);
    } else {
        inner_step_of(Path::new("/proc/self/exe"));
    }
}

/// Sets the program that runs the inner step, for a process whose own `main` does not call `inner_step`. The
/// `main` of that program must call `inner_step`.
pub fn inner_step_of(program: &Path) {
    // The first call wins.
    let _ = PROGRAM.set(program.to_owned());
}

/// Returns the program that contains the inner step, if one is known.
pub(crate) fn program() -> Option<&'static Path> {
    PROGRAM.get().map(PathBuf::as_path)
}

/// Returns whether `inner_step` was called too late: while other threads ran.
pub(crate) fn was_called_late() -> bool {
    CALLED_LATE.load(Ordering::Relaxed)
}
