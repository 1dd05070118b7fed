//! The built-in rules about files and commands.

/// The text of the built-in rules, in the format of policy files.
pub(crate) const RULES: &str = include_str!("defaults.toml");
