//! Sandbox of commands: its availability on this machine, and the helper program that one kind of sandbox
//! needs.
//!
//! Toolpost confines commands by namespaces of the kernel. That needs nothing from the program that embeds
//! it; but with a *helper*, the commands of a session start faster from the third on. If the kernel forbids
//! namespaces to ordinary users, Toolpost uses the system's `bwrap`, which executes the helper as the first
//! process inside the sandbox. The helper is either this program, if its `main` calls [`init`] first, or the
//! program `toolpost`, if [`helper`] names it. Without a sandbox no command runs, and the reply of the call
//! gives the reason.

use std::path::Path;

pub use toolpost_engine::{Available, Means};

/// Lets this program be the helper of a sandbox. Call it first in a plain `fn main`, before any thread starts:
///
/// ```no_run
/// fn main() -> Result<(), toolpost::Error> {
///     toolpost::sandbox::init();
///     run()
/// }
///
/// #[tokio::main]
/// async fn run() -> Result<(), toolpost::Error> {
///     let post = toolpost::Toolpost::builder(".").open().await?;
///     post.close().await;
///     Ok(())
/// }
/// ```
///
/// `#[tokio::main]` on `main` itself is too late: it starts threads before the first line of `main`, and the
/// helper would close what they use. Then this program does not become the helper, and `bwrap` is not used. If only
/// `bwrap` may create namespaces, commands run in a weaker sandbox or not at all, and [`available`] lists the
/// reason.
///
/// If this process was started as the helper, the function does not return.
pub fn init() {
    toolpost_engine::inner_step();
}

/// Sets another program, such as `/usr/bin/toolpost`, as the helper. `bwrap` executes it inside a sandbox, and
/// Toolpost outside, to start the commands of a session faster. Only the first call has an effect.
///
/// Needed in an interpreter that loads Toolpost as a module, because the interpreter does not call [`init`].
/// The file must be outside all roots and temporary directories of commands. Otherwise a command could replace it, so
/// Toolpost does not execute it outside a sandbox.
pub fn helper(program: &Path) {
    toolpost_engine::inner_step_of(program);
}

/// Returns the kind of sandbox that commands get on this machine, and the reasons why the stronger ones are
/// not available. The first call tries them; call [`init`] or [`helper`] before it.
#[must_use]
pub fn available() -> &'static Available {
    toolpost_engine::available()
}
