//! What a project depends on, at the versions of its lock files, and where that lies on this machine.
//!
//! Nothing is started and nothing is fetched: lock files are read as text, and a package is a directory that is opened to be
//! read. What a project itself holds (`node_modules`, `vendor`, `.venv`) counts only where links on the way stay inside of it;
//! what lies in the stores of the package managers is found by names that were checked.

mod archive;
mod cargo;
mod golang;
mod here;
mod javascript;
mod locked;
mod maven;
mod name;
mod npm_lock;
mod places;
mod python;
mod requirements;
mod resolve;

pub use locked::Direct;
pub use name::{Ecosystem, is_dependency};
pub use places::Places;
pub use resolve::{All, Dependencies, Missing, Package, Resolved, Unresolved, Why};
