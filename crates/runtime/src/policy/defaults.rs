//! The built-in rules: files that run by themselves, and files that hold secrets.

/// The rules, in the form of any other file of rules.
pub(super) const RULES: &str = include_str!("defaults.toml");
