//! Rendering shared by several dialects.

pub(crate) mod block;
pub(crate) mod command_output;
pub(crate) mod commands;
pub(crate) mod document;
pub(crate) mod edits;
pub(crate) mod file_list;
pub(crate) mod hints;
pub(crate) mod integers;
pub(crate) mod line_numbers;
pub(crate) mod locations;
mod notebook;
mod redirect;
pub(crate) mod remote_results;
pub(crate) mod script;
pub(crate) mod tasks;
pub(crate) mod totals;
pub(crate) mod untrusted;
pub(crate) mod walk_notes;
pub(crate) mod web_page;
