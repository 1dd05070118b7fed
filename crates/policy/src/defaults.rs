//! The built-in rules: files that run automatically, and files that hold secrets.

/// The rules, in the format of any other policy file.
pub(crate) const RULES: &str = include_str!("defaults.toml");
