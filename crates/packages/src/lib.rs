//! Dependencies of a project: from the versions in its lock files to their sources on this machine.
//!
//! This crate starts no program and fetches nothing. It reads lock files as text and opens a package as an external
//! root (a read-only directory outside the workspace). A package inside the project (`node_modules`, `vendor`, `.venv`)
//! may be a symlink only if its target is in an allowed directory, such as a root. Packages in the stores of package
//! managers are located by names that were validated.

mod archive;
mod cargo;
mod dependency_list;
mod golang;
mod javascript;
mod maven;
mod name;
mod npm_lock;
mod project;
mod python;
mod requirements;
mod resolve;
mod stores;

pub use dependency_list::{Directness, VersionSource};
pub use name::{Ecosystem, is_dependency};
pub use resolve::{
    Dependencies, Inventory, MissingPackage, Package, ResolveError, ResolveErrorKind, ResolvedPath,
};
pub use stores::PackageStores;
