//! Model clients, the agent loop, subagents, upstream MCP servers and attached editors.

pub mod acp;
pub mod bridge;
mod budget;
mod compaction;
mod editor;
mod effect;
mod event;
mod forms;
mod model_agents;
pub mod models;
mod outcome;
mod permits;
mod pictures;
mod prompts;
mod run;
mod schema_check;
mod subagent;
mod toolset;
mod transcript;
mod turn;

pub use budget::{Account, Budget, Limits, Spent, Use};
pub use editor::Neovim;
pub use effect::{CommandEnd, Effect, FileChange};
pub use event::{AgentEvent, PermissionDecision, Watch, nobody};
pub use forms::{Form, Sort, TextCall, find as find_calls};
pub use model_agents::{Maker, ModelAgents};
pub use outcome::{Outcome, Reason};
pub use pictures::ImageDisplay;
pub use prompts::{part, system};
pub use run::{Run, repaired};
pub use subagent::{BadSubagent, Subagent};
pub use toolset::{NestedTools, RunTool, RuntimeTools, TaskEffect, ToolReply, Toolset};
pub use transcript::{RunHeader, StoredRun, Transcript, TranscriptEntry, TranscriptError};
