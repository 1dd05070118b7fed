//! The helper: this program, or another one, executed once more for a part of a sandbox.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use toolpost_sandbox::{Plan, host};

use crate::{inner, launcher, system, tree};

/// The path of the program that contains the inner step.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// True if `inner_step` was called while other threads ran, so this program cannot be the helper.
static CALLED_LATE: AtomicBool = AtomicBool::new(false);

/// True if a command of this process could have replaced the file of the program.
static IS_EXPOSED: AtomicBool = AtomicBool::new(false);

/// Runs the inner step of a sandbox, or the launcher, if this process was started for that, and then never returns.
/// Otherwise sets this program as the helper.
///
/// Must be called first in `main`, before any other thread exists. Without it and `inner_step_of`, no sandbox is
/// created through bubblewrap. If other threads run, this program does not become the helper, because the inner
/// step closes descriptors that those threads use.
pub fn inner_step() {
    let mut words = std::env::args_os().skip(1);
    let name = words.next();
    if name.as_deref() == Some(OsStr::new(launcher::NAME)) {
        // A process with other threads cannot be the launcher. It must not go on with its own `main` either: it was
        // not started for that, and is not confined.
        if tree::has_other_threads() {
            system::exit(1);
        }
        launcher::run(words);
    }
    if name.as_deref() == Some(OsStr::new(inner::NAME)) {
        inner::take(words.next());
    }
    if tree::has_other_threads() {
        CALLED_LATE.store(true, Ordering::Relaxed);
    } else {
        inner_step_of(Path::new(OWN));
    }
}

/// The path at which a process finds its own program, even after the file was replaced.
const OWN: &str = "/proc/self/exe";

/// Sets the program that runs the inner step and the launcher, for a process whose own `main` does not call
/// `inner_step`. The `main` of that program must call `inner_step`. Only the first call counts.
///
/// The launcher is executed outside the sandbox. There is none if the program is in a directory that commands can
/// change, because they could have replaced it.
pub fn inner_step_of(program: &Path) {
    // The first call wins.
    let _ = PROGRAM.set(program.to_owned());
}

/// Returns the program that contains the inner step, if one is known.
pub(crate) fn program() -> Option<&'static Path> {
    PROGRAM.get().map(PathBuf::as_path)
}

/// Returns the program that may be executed outside a sandbox as the launcher; `None` if none is set, or if a command
/// with this plan, or a previous one, could have replaced it.
pub(crate) fn launcher(plan: &Plan) -> Option<&'static Path> {
    let program = program()?;
    if program == Path::new(OWN) {
        return Some(program);
    }
    let writable = plan.roots.iter().chain(&plan.temporary);
    let writable: Vec<PathBuf> =
        writable.flat_map(|path| [Some(path.clone()), host::real(path).ok()]).flatten().collect();
    if host::lies_in(program, &writable) {
        IS_EXPOSED.store(true, Ordering::Relaxed);
    }
    (!IS_EXPOSED.load(Ordering::Relaxed)).then_some(program)
}

/// Returns whether `inner_step` was called too late, while other threads ran.
pub(crate) fn was_called_late() -> bool {
    CALLED_LATE.load(Ordering::Relaxed)
}
