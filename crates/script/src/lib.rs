//! JavaScript within limits: host functions in, plain data out.

mod conversion;
mod fault;
mod gate;
mod host;
mod limits;
mod lines;
mod machine;
mod prepare;
mod run;
mod task;
mod watch;

pub use fault::{Fault, Why};
pub use host::{AnswerFuture, Host, HostCall, Reply};
pub use limits::Limits;
pub use lines::Lines;
pub use prepare::prepared;
pub use run::{Outcome, ResourceUsage, run};
pub use task::Script;
