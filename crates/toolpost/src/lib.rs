//! The tools of coding agents as a library: read, search and edit files, run commands in a sandbox, fetch
//! pages.
//!
//! Open Toolpost on a directory, give the definitions of its tools to a model, and make the calls that the
//! model asks for:
//!
//! ```
//! use serde_json::json;
//! use toolpost::Toolpost;
//!
//! fn main() -> Result<(), toolpost::Error> {
//!     toolpost::sandbox::init(); // first, before any thread starts, so that every kind of sandbox is available
//!     run()
//! }
//!
//! #[tokio::main]
//! async fn run() -> Result<(), toolpost::Error> {
//!     let post = Toolpost::builder(".").read_only().open().await?;
//!     for tool in post.tools() {
//!         println!("{}: {}", tool.name, tool.schema);
//!     }
//!     let session = post.session(); // remembers what this client has read
//!     let reply = session.call("Grep", json!({ "pattern": "^name = ", "output_mode": "content" })).await;
//!     println!("{}", reply.text()); // for the model, also if `reply.is_error()`
//!     post.close().await; // stops commands that still run
//!     Ok(())
//! }
//! ```
//!
//! # Defaults
//!
//! [`Toolpost::builder`] reads no flags, no environment variables of Toolpost and no configuration file. The
//! policy is the built-in one with the user's policy file and the rules of the project, which can only
//! tighten it until the user trusts them. Commands run only in a sandbox ([`sandbox`]). A call that needs
//! approval is denied, unless [`Builder::approve`] sets a function that answers. History and locks are in the
//! user's state directory, which all of Toolpost's processes share. [`Toolpost::with_settings`] with
//! [`Settings::of_user`] opens what the command line opens.
//!
//! # Several in one process
//!
//! Each [`Toolpost`] has its own workspace, policy, approvals, indexes, commands and listeners. Shared in the
//! process are limits (threads, memory of images and scripts), caches by content (ignore files, the built-in
//! model, what the kernel offers), the TLS configuration, the helper of the sandbox, and the table of file
//! locks, which must be shared to work.
//!
//! # Features
//!
//! All features are enabled by default.
//!
//! | feature | adds |
//! |---|---|
//! | `agent` | models, the agent loop, external agents, upstream MCP servers, Neovim |
//! | `documents` | images, PDF files, office documents and archives; notebooks are always read |
//! | `grammars` | parsers of 23 languages; without them symbols and blocks are known in shell scripts only |
//! | `meaning` | semantic search: the built-in model, and models in directories |
//! | `script` | plans and code mode, in QuickJS |
//! | `shared` | the shared index on PostgreSQL |
//! | `web` | web pages, and the clients of embedding and code search services |
//!
//! The tools for files and commands need none of them; in a build without default features, the empty feature
//! `files` can name this choice. Tools that a build cannot run are not listed. A setting that needs a missing
//! feature is an error when Toolpost is opened. `toolpost-tool` and `toolpost-mcp-server` also turn on all features by
//! default, so a program that uses them sets `default-features = false` on all three.
//!
//! # Stability
//!
//! The items at the root of this crate, [`settings`] and [`sandbox`] follow semantic versions. The modules
//! [`parts`], [`agents`], [`approvals`], [`code_search`], [`operations`] and [`trust`], and the functions
//! [`Toolpost::runtime`], [`Toolpost::catalogue`], [`Toolpost::session_of`] and `Toolpost::companions` use
//! types of internal crates and may change in every release. [`Builder::own_dialect`] stays, but takes a type
//! of `toolpost-tool`, which may change in a minor version.

#[cfg(feature = "agent")]
pub mod agents;
#[cfg(not(feature = "agent"))]
#[path = "without_agents.rs"]
mod agents;
pub mod approvals;
mod builder;
pub mod code_search;
mod command_sandbox;
mod error;
mod event_log;
pub mod parts;
mod reply;
pub mod sandbox;
mod session;
pub mod settings;
mod toolpost;
pub mod trust;
mod typed_call;

pub use approvals::Approval;
pub use builder::Builder;
pub use error::{Cause, Error};
pub use reply::{Problem, Reply};
pub use session::{Call, Session};
pub use settings::Settings;
pub use tokio_util::sync::CancellationToken;
pub use toolpost::{Lifetime, Tool, Toolpost};
pub use toolpost_engine::{Failure, Kind};
pub use toolpost_runtime::{Addition, Asker, Detail, Event, Question, Span, Status, Verdict, VerdictFuture};
pub use toolpost_tool::ReplyPart;
pub use toolpost_workspace::WorkspacePath;
pub use typed_call::TypedCall;

/// The operations of the tools, with their requests and outputs, for [`Session::run`], and the parts of a [`Failure`].
pub mod operations {
    pub use toolpost_engine::{
        ChangeProblem, ExistenceMismatch, Facts, Hint, Operation, RunsOn, operations::*,
    };
}

/// The READMEs of this crate and of the server, whose examples the doctests compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../../mcp-server/README.md")]
struct Readme;
