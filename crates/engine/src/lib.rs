//! Every operation, one file each, and the session.

mod agents;
mod analyzing;
mod at_once;
mod bridges;
mod changing;
mod choices;
mod command;
mod commands;
mod cx;
mod editors;
mod elsewhere;
mod embedding;
mod engine;
mod failure;
mod failures;
mod fetching;
mod fresh;
mod front_door;
mod granted;
mod guiding;
mod indexed;
mod investigating;
mod navigating;
mod operation;
pub mod operations;
mod packages;
mod projects;
mod session;
mod show;
mod skills;
mod store;
mod symbols;
mod tasks;
mod touch;
mod trees;
mod walking;

pub use agents::{Agents, Asking, Finished, Job, Prompt, Report};
pub use bridges::{Bridges, Piece, RemoteTool};
pub use choices::{Seeking, Several};
pub use command::{Approval, Command, Host, Line};
pub use commands::Commands;
pub use cx::{CallCtx, Changed, Expected, Fresh, MayDelegate, MayFetch, MayRead, MayWrite, Need, Progress};
pub use editors::{
    Act as EditorAct, Buffer, BufferNotes, Chosen, Editing, Editor, EditorUse, Point, Shape, Sight, Standing,
    View, Without,
};
pub use embedding::Service as EmbeddingService;
pub use engine::{Engine, WORKERS};
pub use failure::{FOUND, Facts, Failure, Hint, Kind, Trouble, Unmet};
pub use fresh::Pinned;
pub use front_door::{
    Calling, Ended, FrontDoor, InnerAnswer, InnerCall, InnerPicture, May, Offered, Pictures,
};
pub use granted::Granted;
pub use operation::{Effect, Operation};
pub use session::{Part, Seen, Session};
pub use skills::{Found as FoundSkills, Skill, SkillPlaces, Source as SkillSource, Trusts};
pub use store::Store;
pub use tasks::{Completion, Kept as KeptTasks, TaskLists};
pub use toolpost_grams::{Grams, Status as GramsStatus};
/// Which language servers there are, and how they are started.
pub use toolpost_index::embed::{Embedder, Local as LocalModel};
pub use toolpost_lsp::{Found, Servers, Settings as ServerSettings};
/// Services on other machines that search code.
pub use toolpost_net::code::{BadService, PROVIDERS, Service as CodeService};
/// Which hosts are reached, and how far.
pub use toolpost_net::{BadHost, Embeddings, Hosts, Reach, Say};
/// How commands are confined, and what the system here allows of it.
pub use toolpost_process::{
    Access as Confinement, Available, Environment, Means, Network, Plan, Resources, Sandbox, available,
    inner_step, inner_step_of,
};
/// What a script may use up.
pub use toolpost_script::Limits as ScriptLimits;
/// What a line of shell would do.
pub use toolpost_syntax::shell;
/// What the project depends on, and where that lies.
pub use toolpost_workspace::dependencies::{Dependencies, Places, Resolved, is_dependency};
pub use touch::{Access, Extent, Touch};
