//! Diagnostics of the system's capabilities, for `doctor`.

use std::path::Path;

use crate::openat::has_openat2;

/// Returns lines about the confinement of paths on this system.
pub fn confinement() -> Vec<String> {
    let how = if has_openat2() {
        "files are opened beneath their root by the kernel (openat2)"
    } else {
        "the kernel does not support openat2: files are opened component by component, which is slower and as strict"
    };
    vec![how.to_owned()]
}

/// Returns a line about the state directory.
pub(crate) fn state(directory: Option<&Path>) -> String {
    match directory {
        Some(directory) => toolpost_text::escape::name(directory.as_os_str().as_encoded_bytes()).into_owned(),
        None => {
            "none: other processes are not locked out, and interrupted changes are not recovered".to_owned()
        }
    }
}
