//! Types that describe the accesses of a call (what it reads, writes, runs or fetches), re-exported from the
//! policy crate.

pub(crate) use toolpost_policy::access::{Access, Extent, Touch, command, resource};
