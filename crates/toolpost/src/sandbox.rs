//! Sandbox of commands: what this machine offers, and the helper program that one kind of sandbox needs.
//!
//! Toolpost confines commands by namespaces of the kernel. That needs nothing from the program that embeds it. If the
//! kernel forbids namespaces to ordinary users, Toolpost uses the system's `bwrap`, which executes a *helper* as the first
//! process inside the sandbox. The helper is either this program, if its `main` calls [`init`] first, or the program
//! `toolpost`, if [`helper`] names it. Without a sandbox no command runs, and the reply of the call gives the reason.

use std::path::Path;

pub use toolpost_engine::{Available, Means};

/// Lets this program be the helper of a sandbox. Call it first in `main`, before any thread starts.
///
/// If this process was started as the helper, the function does not return.
pub fn init() {
    toolpost_engine::inner_step();
}

/// Names another program as the helper of a sandbox, such as `/usr/bin/toolpost`. The first one that is named stays.
///
/// An interpreter that loads Toolpost as a module has no `main` of ours, and needs this. The file must be outside all
/// roots: a command could replace it otherwise.
pub fn helper(program: &Path) {
    toolpost_engine::inner_step_of(program);
}

/// Returns the kind of sandbox that commands get on this machine, and the reasons why the stronger ones are not
/// available. The first call tries them; call [`init`] or [`helper`] before it.
#[must_use]
pub fn available() -> &'static Available {
    toolpost_engine::available()
}
