//! Model clients, the agent loop, and subagents.

mod budget;
mod compaction;
mod effect;
mod event;
mod forms;
pub mod model_agents;
pub mod models;
mod outcome;
mod permits;
mod pictures;
pub mod prompts;
mod run;
mod schema_check;
mod subagent;
mod toolset;
mod transcript;
mod turn;

pub use budget::{Account, Budget, BudgetLimit, Limits, Use};
pub use effect::{CommandEnd, Effect, FileChange};
pub use event::{AgentEvent, PermissionDecision, Watch, nobody};
pub use forms::{Form, ParameterKind, TextCall, find as find_calls};
pub use model_agents::{Maker, ModelAgents};
pub use outcome::{Outcome, Reason};
pub use permits::{Permit, Permits, TIME};
pub use pictures::ImageDisplay;
pub use prompts::{part, system};
pub use run::{Run, repaired};
pub use schema_check::{CheckResult, SchemaCheck};
pub use subagent::{Subagent, SubagentError};
pub use toolset::{NestedTools, RunTool, RuntimeTools, TaskEffect, ToolReply, Toolset};
pub use transcript::{RunHeader, StoredRun, Transcript, TranscriptEntry, TranscriptError};
