//! Other programs: start, watch, stop.

mod becoming;
mod environment;
mod error;
mod guard;
mod inner;
mod job;
mod jobs;
mod launch;
mod leftovers;
mod meaning;
mod message;
mod network;
mod output;
mod ports;
mod prepare;
mod reported;
mod resources;
mod sandbox;
mod search;
mod served;
mod spawn;
mod state;
mod supervisor;
mod system;
mod temporary;
mod tree;
mod usage;
mod watch;

pub use environment::Environment;
pub use error::{StartError, UnknownJob};
pub use inner::{inner_step, inner_step_of};
pub use job::{Job, Until, Woke};
pub use jobs::{Jobs, SessionKey, Settings};
pub use launch::{Channel, Launch, Limits, Program, Shell, Size, Survivors};
pub use meaning::{Meaning, Verdict, meaning};
pub use network::{LoopbackSockets, SessionNetwork};
pub use output::{Followed, From, Piece, Shown, Want};
pub use resources::Resources;
pub use sandbox::{
    Access, Available, Enforcement, Guard, Held, Means, Network, PathAccess, Plan, Sandbox, available,
};
pub use search::{Sought, programs};
pub use served::{Served, Wires};
pub use state::{Ending, Exit, Holds, Leftover, Report, Stage, Why};
