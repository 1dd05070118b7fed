//! Language servers: which there are, started once for all who ask, ready or not, asked and understood.
//!
//! A server answers long before it has read everything, and does not say so. So what it has announced is judged
//! ([`Standing`]), and every answer can be given with whether it is complete and why. A server that fails is a [`Fault`], never an
//! answer with nothing in it. Nothing here reads files: contents and what changed on the disk are told by the caller.

mod answers;
mod calls;
mod diagnostics;
mod documents;
mod edits;
mod fault;
mod framing;
mod greeting;
mod heard;
mod home;
mod known;
mod message;
mod position;
mod published;
mod question;
mod readiness;
mod rename;
mod server;
mod servers;
mod talk;
mod uri;
mod wire;

pub use answers::{Named, Place, Span};
pub use calls::{Call, Callable, Calls};
pub use diagnostics::{Diagnostic, Severity, Verdict};
pub use documents::{Change, Stamp, Version};
pub use edits::{Existing, File, Missing, Reach, Replacement, Step};
pub use fault::Fault;
pub use home::{Home, home};
pub use known::{Edits, KNOWN, Known, Signal};
pub use position::{Encoding, Position};
pub use question::{Answer, Question};
pub use readiness::{Complete, Stage, Standing};
pub use rename::Renamed;
pub use server::Server;
pub use servers::{Found, Limits, Servers, Settings};
pub use talk::Talk;
