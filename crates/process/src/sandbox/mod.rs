//! Access of a program: the caller's plan, and the part that this kernel enforces.

pub(crate) mod bubblewrap;
pub(crate) mod calls;
mod confinement;
pub(crate) mod creations;
mod enforcement;
mod fallback;
mod filter;
pub(crate) mod host;
pub(crate) mod inner_plan;
#[cfg(windows)]
mod job_object;
mod locks;
mod nested;
mod pins;
mod places;
mod plan;
mod rules;
mod scope;
mod script;
#[cfg(any(test, target_os = "macos"))]
mod seatbelt;
mod session_network;
mod view;

pub use enforcement::{Enforcement, Guard, GuardState, Means};
pub use plan::{Access, Network, Plan, Sandbox};
pub use scope::PathAccess;
pub use session_network::{LoopbackSockets, SessionNetwork};

pub(crate) use confinement::{Confinement, Maker, Namespaces, to_be_tried};
pub(crate) use creations::Creations;
pub(crate) use filter::{Attributes, Sockets};
pub(crate) use locks::Locks;
pub(crate) use pins::Protection;
pub(crate) use places::UNFINISHED;
pub(crate) use rules::{NetworkScope, Rules};
pub(crate) use scope::Scope;
pub(crate) use script::{Script, Stop, listener};
