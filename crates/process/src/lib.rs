//! Starts, supervises and stops other programs.

mod available;
mod command_setup;
mod error;
mod execution;
mod exit_meaning;
mod guard;
mod helper;
mod inner;
mod inner_launch;
mod inner_plan;
mod job;
mod jobs;
mod launch;
mod launcher;
mod leftovers;
mod login;
mod message;
mod network;
mod output;
mod ports;
mod prepare;
mod prepared;
mod program_search;
mod program_start;
mod random;
mod reported_files;
mod resources;
mod service;
mod session;
mod shortage;
mod spawn;
mod standard_streams;
mod state;
mod supervisor;
mod system;
mod temporary;
mod tree;
mod usage;
mod watch;

pub use available::{Available, available};
pub use error::{StartError, UnknownJobError};
pub use exit_meaning::{ExitMeaning, Verdict, meaning};
pub use helper::{inner_step, inner_step_of};
pub use job::{Job, WaitCondition, WaitResult};
pub use jobs::{Jobs, Settings};
pub use launch::{Channel, Launch, Limits, Program, Shell, Size, Survivors};
pub use output::{Excerpt, OutputPiece, OutputRange, OutputSide, OutputTail};
pub use program_search::{ProgramSearch, programs};
pub use resources::Resources;
pub use service::{Service, ServicePipes};
pub use session::SessionKey;
pub use state::{Exit, ExitReport, Leftover, OutputHolderCheck, Report, Stage, StopReason};
pub use toolpost_sandbox::{
    Access, Enforcement, Environment, Guard, GuardState, LoopbackSockets, Means, Network, PathAccess,
    PathList, Plan, Sandbox, SandboxError, SessionNetwork,
};
pub use usage::FreeSpace;
