//! Paths of the built examples, which the tests run as separate processes.

use std::path::PathBuf;

/// Returns the path of an example.
pub(crate) fn path(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let path = own.ancestors().nth(2).unwrap().join("examples").join(name);
    assert!(path.exists(), "{} is not built: run `cargo build --examples`", path.display());
    path
}
