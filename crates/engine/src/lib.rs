//! The engine: the operations of Toolpost, grouped by capability, and the session state that calls share.
//!
//! ```
//! use toolpost_engine::{CallCtx, Engine, Session, operations::stat};
//! use toolpost_workspace::{Options, Workspace};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let options = Options { roots: vec![std::env::current_dir()?], ..Options::default() };
//! let (workspace, _) = Workspace::open(options)?;
//! let engine = Engine::builder(workspace).build();
//! let request = stat::Request { path: engine.resolve("Cargo.toml")? };
//! let output = engine.run::<stat::Stat>(request, &CallCtx::denied(Session::new())).await?;
//! assert!(output.bytes > 0);
//! # Ok(())
//! # }
//! ```
//!
//! `Engine::run` checks no policy: the caller has already judged the accesses that [`Operation::touches`] lists. A
//! program uses `Session::run` of the crate `toolpost`, which judges them.

mod agents;
mod background;
mod call;
mod code;
mod commands;
mod editors;
mod edits;
mod engine;
mod failure;
mod files;
mod find;
mod operation;
mod overview;
mod plans;
mod search;
mod seen_content;
mod session;
mod skills;
mod tasks;
mod upstream;
mod web;
mod workers;

use toolpost_policy::access;

pub use agents::{AgentAccess, AgentStopReason, Agents, Job, Prompt, Report};
pub use call::nested::{
    CallGateway, CallOutcome, CallableTool, InnerAnswer, InnerCall, InnerPicture, NestedCallFuture,
    NestedCallPermissions, Pictures,
};
pub use call::permissions::{MayRead, NoPermissions, Permissions};
pub use call::{AnswerFuture, CallCtx, Progress};
pub use code::Code;
pub use commands::{CommandAccess, Commands, PortError, PublishedPorts};
pub use editors::buffers::BufferNotes;
pub use editors::{
    Buffer, Editor, EditorAction as EditorAct, EditorSetup, Editors, InsertionFallback, Point, SaveState,
    SelectionVisibility, Shape, TextSelection, View,
};
pub use edits::{AmbiguityTreatment, Edits};
pub use engine::{Engine, EngineBuilder};
pub use failure::{ChangeProblem, ExistenceMismatch, FOUND, Facts, Failure, Hint, Kind};
pub use files::Files;
pub use find::Find;
pub use operation::{Effect, Operation, RunsOn};
pub use overview::Overview;
pub use plans::Plans;
pub use search::embedding_service::Service as EmbeddingService;
pub use search::{SearchBackend, Searcher};
pub use seen_content::{SeenContent, SeenRange};
pub use session::Session;
pub use session::approvals::SessionApprovals;
pub use session::freshness::{ContentPin, ExpectedHashes, Fresh, ReadRequirement, StaleEditPolicy};
pub use skills::{FoundSkills, Skill, SkillLibrary, SkillPlaces, SkillTrustCheck, Source as SkillSource};
pub use tasks::store::{StoredTaskList, TaskLists};
pub use tasks::{Completion, TaskBoards};
// Installed language servers, and how they are started.
pub use toolpost_lsp::{InstalledServer, Servers, Settings as ServerSettings};
// Code search services on other machines.
pub use toolpost_net::code::{PROVIDERS, Service as CodeService, ServiceConfigError};
// The hosts that may be contacted, the addresses that they may have, resolvers of their names, and embedding services.
pub use toolpost_net::{AllowedAddresses, Embeddings, HostEffect, HostError, Hosts, ResolveFuture, Resolver};
// Dependencies of the project, and the paths of their sources.
pub use toolpost_packages::{Dependencies, PackageStores, ResolvedPath, is_dependency};
// Accesses of a call, which the policy allows or denies.
pub use toolpost_policy::{Access, Approval, Command, EditorUse, Extent, Host, Line, RemoteTool, Touch};
// The confinement of commands, and its availability on this system.
pub use toolpost_process::{
    Access as Confinement, Available, Environment, Means, Network, PathAccess, PathList, Plan, Resources,
    Sandbox, available, inner_step, inner_step_of,
};
// Models that compute embeddings.
pub use toolpost_ranked::embed::{Embedder, Local as LocalModel};
// The limits of a script in code mode, such as time and memory.
pub use toolpost_script::Limits as ScriptLimits;
pub use toolpost_trigrams::{TrigramIndex, TrigramStatus};
pub use upstream::{Bridges, UpstreamAccess, UpstreamPart};
pub use web::Web;
pub use workers::WORKERS;

/// All operations. The module of each contains the request, the output and the operation type.
pub mod operations {
    pub use crate::agents::delegate;
    pub use crate::code::{navigate, outline, query, relations, rename_symbol, symbol, symbols};
    pub use crate::commands::{exec, job, stop};
    pub use crate::editors::{editor_move, editor_selection, editor_state, editor_write};
    pub use crate::edits::{change, copy, delete, make_directory, rename};
    pub use crate::files::{picture, read, stat, view};
    pub use crate::find::{glob, grep, list, read_many};
    pub use crate::overview::{analyze, project};
    pub use crate::plans::{batch, offered, plan};
    pub use crate::search::{block_search, investigate, keyword as search, semantic, usage};
    pub use crate::skills::{list as skills, skill};
    pub use crate::tasks::{complete, list as tasks};
    pub use crate::upstream::bridge;
    pub use crate::web::fetch;
}
