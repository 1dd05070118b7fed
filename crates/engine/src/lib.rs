//! The engine: operations in one folder for each capability, and the session.

mod access;
mod agents;
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
mod seen;
mod session;
mod skills;
mod tasks;
mod upstream;
mod web;
mod workers;

pub use agents::{AgentAccess, Agents, Finished, Job, Prompt, Report};
pub use call::nested::{
    CallGateway, Calling, Ended, InnerAnswer, InnerCall, InnerPicture, May, Offered, Pictures,
};
pub use call::permissions::{MayRead, NoPermissions, Permissions};
pub use call::{Asking, CallCtx, Progress};
pub use code::Code;
pub use commands::{BadPort, CommandAccess, Commands, PublishedPorts};
pub use editors::buffers::BufferNotes;
pub use editors::{
    Act as EditorAct, Buffer, Chosen, Editing, Editor, Editors, Point, Shape, Sight, Standing, View, Without,
};
pub use edits::{Edits, Several};
pub use engine::{Engine, EngineBuilder};
pub use failure::{FOUND, Facts, Failure, Hint, Kind, Trouble, Unmet};
pub use files::Files;
pub use find::Find;
pub use operation::{Effect, Operation, RunsOn};
pub use overview::Overview;
pub use plans::Plans;
pub use search::embedding_service::Service as EmbeddingService;
pub use search::{Searcher, Seeking};
pub use seen::{Part, Seen};
pub use session::Session;
pub use session::freshness::{Changed, Expected, Fresh, Need, Pinned};
pub use session::grants::Granted;
pub use skills::{Found as FoundSkills, Skill, SkillLibrary, SkillPlaces, Source as SkillSource, Trusts};
pub use tasks::store::{Kept as KeptTasks, TaskLists};
pub use tasks::{Completion, TaskBoards};
pub use toolpost_grams::{Grams, Status as GramsStatus};
/// Which language servers there are, and how they are started.
pub use toolpost_index::embed::{Embedder, Local as LocalModel};
pub use toolpost_lsp::{InstalledServer, Servers, Settings as ServerSettings};
/// Services on other machines that search code.
pub use toolpost_net::code::{BadService, PROVIDERS, Service as CodeService};
/// Which hosts are reached, and how far.
pub use toolpost_net::{BadHost, Embeddings, Hosts, Reach, Say};
/// Dependencies of the project, and their locations.
pub use toolpost_packages::{Dependencies, PackageStores, ResolvedPath, is_dependency};
/// Accesses of a call, which the policy decides about.
pub use toolpost_policy::{Access, Approval, Command, EditorUse, Extent, Host, Line, RemoteTool, Touch};
/// How commands are confined, and what the system here allows of it.
pub use toolpost_process::{
    Access as Confinement, Available, Environment, Means, Network, Plan, Resources, Sandbox, available,
    inner_step, inner_step_of,
};
/// What a script may use up.
pub use toolpost_script::Limits as ScriptLimits;
pub use upstream::{Bridges, Piece, UpstreamAccess};
pub use web::Web;
pub use workers::WORKERS;

/// Every operation by its name: its request, its output and the type that runs it.
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
    pub use crate::search::{investigate, keyword as search, seek, semantic, usage};
    pub use crate::skills::{list as skills, skill};
    pub use crate::tasks::{complete, list as tasks};
    pub use crate::upstream::bridge;
    pub use crate::web::fetch;
}
