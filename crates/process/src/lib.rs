//! Other programs: start, watch, stop.

mod available;
mod becoming;
mod environment;
mod error;
mod guard;
mod inner;
mod inner_launch;
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
mod prepared;
mod random;
mod reported;
mod resources;
mod sandbox;
mod search;
mod served;
mod session;
mod spawn;
mod state;
mod supervisor;
mod system;
mod temporary;
mod tree;
mod usage;
mod waker;
mod watch;

pub use available::{Available, available};
pub use environment::Environment;
pub use error::{StartError, UnknownJob};
pub use inner::{inner_step, inner_step_of};
pub use job::{Job, Until, Woke};
pub use jobs::{Jobs, Settings};
pub use launch::{Channel, Launch, Limits, Program, Shell, Size, Survivors};
pub use meaning::{Meaning, Verdict, meaning};
pub use output::{Followed, From, Piece, Shown, Want};
pub use resources::Resources;
pub use sandbox::{
    Access, Enforcement, Guard, Held, LoopbackSockets, Means, Network, PathAccess, Plan, Sandbox,
    SessionNetwork,
};
pub use search::{Sought, programs};
pub use served::{Served, Wires};
pub use session::SessionKey;
pub use state::{Ending, Exit, Holds, Leftover, Report, Stage, Why};
pub use usage::FreeSpace;
