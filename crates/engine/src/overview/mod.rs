//! Overviews of a project: its files, its modules and how they depend on one another.

pub mod analyze;
pub(crate) mod files;
pub mod project;
