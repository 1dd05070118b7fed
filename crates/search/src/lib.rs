//! Glob, grep and listing over a walk.
