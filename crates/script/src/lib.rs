//! JavaScript within limits: host functions in, plain data out.

mod border;
mod fault;
mod gate;
mod host;
mod kept;
mod limits;
mod machine;
mod prepare;
mod run;
mod task;
mod watch;

pub use fault::{Fault, Why};
pub use host::{AnswerFuture, HostCall, Host, Reply};
pub use kept::Lines;
pub use limits::Limits;
pub use prepare::prepared;
pub use run::{Outcome, ResourceUsage, run};
pub use task::Script;
