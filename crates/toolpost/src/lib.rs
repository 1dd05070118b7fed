//! Toolpost as a library: the tools of coding agents, opened on a directory.

pub mod agent_files;
pub mod approvals;
pub mod assembly;
mod event_log;
mod external_agent;
pub mod model_source;
pub mod settings;
pub mod trust;
