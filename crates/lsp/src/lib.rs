//! Language servers: a table of known ones, started once for all callers, with readiness and typed answers.
//!
//! A server answers long before it has read everything, without reporting that. Its messages about progress are therefore judged
//! ([`Standing`]), and every answer can carry its completeness and the reason. A server that fails is a [`Fault`], never an
//! empty answer. Nothing here reads files: the caller supplies contents and changes on disk.

mod answers;
mod calls;
mod client;
mod diagnostics;
mod documents;
mod edits;
mod fault;
mod framing;
mod home;
mod initialize;
mod known;
mod message;
mod position;
mod published;
mod question;
mod readiness;
mod rename;
mod server;
mod server_state;
mod servers;
mod settings;
mod uri;
mod verdict;
mod wire;

pub use answers::{Named, Place, Span};
pub use calls::{Call, Callable, Calls};
pub use client::Client;
pub use diagnostics::{Diagnostic, Severity};
pub use documents::{Change, Stamp, Version};
pub use edits::{Existing, File, Missing, Reach, Replacement, Step};
pub use fault::Fault;
pub use home::{Home, home};
pub use known::{Edits, KNOWN, Known, Signal};
pub use position::{Encoding, Position};
pub use question::{Answer, Question};
pub use readiness::{Complete, Stage, Standing};
pub use rename::RenameAnswer;
pub use server::Server;
pub use servers::{InstalledServer, Servers};
pub use settings::{Limits, Settings};
pub use verdict::Verdict;
