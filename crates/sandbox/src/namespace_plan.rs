//! The part of a sandbox plan that the inner step carries out inside namespaces that `bwrap` or a launcher created.

use std::ffi::CString;

use crate::pins::Protection;
use crate::plan::Network;
use crate::rules::AccessRight;

/// The restrictions that the inner step (the first process in the namespaces) applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamespacePlan {
    /// The network access of the program.
    pub network: Network,
    /// The Landlock version of the kernel; `None` without Landlock.
    pub landlock: Option<u32>,
    /// Landlock rules: absolute paths and the allowed access.
    pub allowed: Vec<(CString, AccessRight)>,
    /// Absolute paths that `bwrap` must have made mount points, with their protection.
    pub pinned: Vec<(CString, Protection)>,
    /// Names that the program must not create: absolute paths, or a directory, `//` and a pattern of names.
    pub creations: Vec<CString>,
}
