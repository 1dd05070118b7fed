//! Errors of building a sandbox.

use std::io;

use crate::limits::next_step;

/// The reason why a sandbox was not built.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// No sandbox mechanism is available, but the plan requires one.
    #[error(
        "nothing was started, because no sandbox is available: {tried}; only the operator can start programs without \
         a sandbox (`--sandbox off`)"
    )]
    NoSandbox {
        /// The mechanisms that were tried, each with the reason of its failure.
        tried: String,
    },
    /// A step of building the sandbox failed.
    #[error("nothing was started, because no sandbox could be built: {step} ({fault}); {}", next_step(fault))]
    Step {
        /// Description of the failed step.
        step: String,
        /// The operating system's error for the failed step.
        fault: io::Error,
    },
}
