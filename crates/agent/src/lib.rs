//! Model clients, the agent loop, subagents, upstream MCP servers and attached editors.

pub mod acp;
pub mod bridge;
mod budget;
mod compaction;
mod crew;
mod editor;
mod effect;
mod ending;
mod fits;
mod forms;
mod hands;
mod happening;
pub mod models;
mod permits;
mod pictures;
mod run;
mod subagent;
mod transcript;
mod turn;
mod words;

pub use budget::{Account, Budget, Limits, Spent, Use};
pub use crew::{Crew, Maker};
pub use editor::Neovim;
pub use effect::{CommandEnd, Effect, FileChange};
pub use ending::{Outcome, Reason};
pub use forms::{Form, Sort, Written, find as find_calls};
pub use hands::{AtDoor, AtRuntime, Ends, Hand, Hands, Replied};
pub use happening::{Given, Happening, Watch, nobody};
pub use pictures::Showing;
pub use run::{Run, mended};
pub use subagent::{BadSubagent, Subagent};
pub use transcript::{Began, Kept, Listed, Transcript, TranscriptError};
pub use words::{part, system};
