//! Other programs: start, watch, stop.

mod available;
mod command_setup;
mod environment;
mod error;
mod execution;
mod exit_meaning;
mod guard;
mod inner;
mod inner_launch;
mod job;
mod jobs;
mod launch;
mod leftovers;
mod message;
mod network;
mod output;
mod ports;
mod prepare;
mod program_search;
mod random;
mod reported_files;
mod resources;
mod sandbox;
mod service;
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
pub use exit_meaning::{Meaning, Verdict, meaning};
pub use inner::{inner_step, inner_step_of};
pub use job::{Job, Until, WaitResult};
pub use jobs::{Jobs, Settings};
pub use launch::{Channel, Launch, Limits, Program, Shell, Size, Survivors};
pub use output::{Excerpt, From, OutputTail, Piece, Want};
pub use program_search::{ProgramSearch, programs};
pub use resources::Resources;
pub use sandbox::{
    Access, Enforcement, Guard, GuardState, LoopbackSockets, Means, Network, PathAccess, Plan, Sandbox,
    SessionNetwork,
};
pub use service::{Service, ServicePipes};
pub use session::SessionKey;
pub use state::{Ending, Exit, Holds, Leftover, Report, Stage, Why};
pub use usage::FreeSpace;
