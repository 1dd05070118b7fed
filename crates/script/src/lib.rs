//! Runs untrusted JavaScript within resource limits.
//!
//! A script can reach nothing except the functions that the host offers.
#![cfg_attr(not(feature = "quickjs"), expect(dead_code, reason = "only the interpreter uses this code"))]

#[cfg(feature = "quickjs")]
mod conversion;
mod fault;
mod gate;
mod host;
mod limits;
mod lines;
#[cfg(feature = "quickjs")]
mod machine;
#[cfg(not(feature = "quickjs"))]
#[path = "without_machine.rs"]
mod machine;
mod prepare;
mod run;
mod task;
mod watch;

pub use fault::{ScriptError, ScriptErrorKind};
pub use host::{AnswerFuture, Host, HostCall, Reply};
pub use limits::Limits;
pub use lines::Lines;
pub use prepare::prepared;
pub use run::{Outcome, ResourceUsage, run};
pub use task::Script;
