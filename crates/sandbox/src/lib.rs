//! Sandboxes for programs on Linux: namespaces, Landlock and seccomp, with `bwrap` as a second way to create
//! the namespaces.
//!
//! A [`Plan`] lists the files and the network that a program may access. [`Confinement`] turns the plan into
//! steps between fork and execute, and into the list of restrictions that this kernel enforces
//! ([`Enforcement`]). [`Scope`] answers which access the program has to a path, so that a reply can explain
//! an error of the program:
//!
//! ```
//! use std::path::Path;
//! use toolpost_sandbox::{Confinement, Environment, PathAccess, Plan};
//!
//! let mut plan = Plan::new(["/srv"]);
//! plan.protected = [".envrc".into()].into();
//! let confinement = Confinement::by_landlock(&plan, &Environment::of_this_process(), 4, "an example")?;
//! assert_eq!(confinement.scope.of(Path::new("/srv/main.c")), PathAccess::Change);
//! assert_eq!(confinement.scope.of(Path::new("/usr/bin/env")), PathAccess::Read);
//! assert_eq!(confinement.scope.of(Path::new("/etc/shadow")), PathAccess::Hidden);
//! # Ok::<(), toolpost_sandbox::SandboxError>(())
//! ```
//!
//! The crate starts no command. `toolpost-process` forks, applies the confinement in the child and supervises
//! the command. Between fork and execute, the code here allocates nothing and takes no lock.

pub mod bubblewrap;
pub mod calls;
mod confinement;
mod creations;
pub mod encoding;
mod enforcement;
mod environment;
mod error;
mod fallback;
mod filter;
pub mod fork;
mod guarded_calls;
pub mod host;
#[cfg(windows)]
mod job_object;
mod limits;
mod locks;
pub mod memfd;
mod names;
mod namespace_plan;
mod nested;
mod nested_cache;
mod pins;
mod plan;
mod rules;
mod scope;
mod script;
#[cfg(any(test, target_os = "macos"))]
mod seatbelt;
mod session_network;
mod system_paths;
mod view;
mod watched_paths;

pub use confinement::{Confinement, NamespaceBackend, Namespaces, added_variables, to_be_tried};
pub use creations::Creations;
pub use enforcement::{Enforcement, Guard, GuardState, Means};
pub use environment::{COOKIE, Environment};
pub use error::SandboxError;
pub use filter::{Attributes, Sockets};
pub use limits::{limit_of, reached};
pub use locks::Locks;
pub use namespace_plan::NamespacePlan;
pub use nested_cache::NestedCache;
pub use pins::Protection;
pub use plan::{Access, Network, PathList, Plan, Sandbox};
pub use rules::{AccessRight, NetworkScope, Rules};
pub use scope::{PathAccess, Readability, Scope};
pub use script::{ExpectedMount, Identity, Script, StepFailure, listener};
pub use session_network::{LoopbackSockets, SessionNetwork};
pub use watched_paths::reported_files;
