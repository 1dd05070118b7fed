//! The tools of coding agents as a library.

#[cfg(feature = "agent")]
pub mod agents;
#[cfg(not(feature = "agent"))]
#[path = "without_agents.rs"]
mod agents;
pub mod approvals;
mod builder;
pub mod code_search;
mod error;
mod event_log;
pub mod parts;
mod reply;
pub mod sandbox;
mod session;
pub mod settings;
mod toolpost;
pub mod trust;

pub use approvals::Approval;
pub use builder::Builder;
pub use error::{Cause, Error};
pub use reply::{Problem, Reply};
pub use session::{Call, Session};
pub use settings::Settings;
pub use tokio_util::sync::CancellationToken;
pub use toolpost::{Lifetime, Tool, Toolpost};
pub use toolpost_engine::Kind;
pub use toolpost_runtime::{Asker, Detail, Event, Question, Span, Status};
pub use toolpost_tool::Part;
