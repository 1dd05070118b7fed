//! Diagnostics of the system's capabilities, for the command `toolpost doctor`.

use std::path::Path;

use crate::openat::has_openat2;

/// Returns a line that reports how files are kept inside their root on this system.
pub fn confinement() -> Vec<String> {
    let how = if has_openat2() {
        "files are opened beneath their root by the kernel (openat2)"
    } else {
        "the kernel does not support openat2, so files are opened component by component, which is slower but equally safe"
    };
    vec![how.to_owned()]
}

/// Returns the path of the state directory, or a line that lists what is missing without one.
pub(crate) fn state(directory: Option<&Path>) -> String {
    match directory {
        Some(directory) => toolpost_text::escape::name(directory.as_os_str().as_encoded_bytes()).into_owned(),
        None => {
            "none, so there are no locks between processes, no recovery of interrupted changes and no undo"
                .to_owned()
        }
    }
}
