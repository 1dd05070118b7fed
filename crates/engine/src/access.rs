//! Accesses of a call, as the policy defines them.

pub(crate) use toolpost_policy::access::{Access, Extent, Touch, command, resource};
