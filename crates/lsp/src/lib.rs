//! Language servers: a table of known ones, started once for all callers, with readiness and typed answers.
//!
//! A server answers long before it has read the project, and does not report that such an answer is incomplete.
//! This crate therefore derives the server's readiness from its progress messages ([`ServerReadiness`]), so that
//! the caller can report whether an answer is complete, and why. A failure of a server is a [`ServerError`], never an
//! empty answer. The crate reads no files: the caller supplies contents and changes on disk.

mod answers;
mod client;
mod documents;
mod fault;
mod framing;
#[doc(hidden)]
pub mod fuzzing;
mod home;
mod initialize;
mod known_servers;
mod message;
mod position;
mod question;
mod readiness;
mod server;
mod server_state;
mod servers;
mod settings;
mod uri;
mod wire;

pub use answers::{CodeLocation, DocumentSymbol, Span};
pub use client::Client;
pub use documents::{Change, Stamp};
pub use fault::ServerError;
pub use home::{Home, home};
pub use known_servers::{Edits, KNOWN, KnownServer, Signal};
pub use position::{Encoding, Position};
pub use question::{LspAnswer, Question};
pub use readiness::{Complete, ServerReadiness, Stage};
pub use server::Server;
pub use servers::{InstalledServer, Servers};
pub use settings::{Limits, Settings};
