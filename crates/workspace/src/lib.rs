//! The disk inside the roots: resolve, walk, read, commit.
