//! What this system can do for the workspace.

use std::path::Path;

use crate::beneath::has_openat2;

/// Says how paths are confined here, in lines for a person.
pub fn confinement() -> Vec<String> {
    let how = if has_openat2() {
        "files are opened beneath their root by the kernel (openat2)"
    } else {
        "the kernel's openat2 is not to be had: files are opened component by component, which is slower and as strict"
    };
    vec![how.to_owned()]
}

/// Says what a state directory is good for, in a line for a person.
pub(crate) fn state(directory: Option<&Path>) -> String {
    match directory {
        Some(directory) => toolpost_text::escape::name(directory.as_os_str().as_encoded_bytes()).into_owned(),
        None => {
            "none: other processes are not locked out, and a killed one is not cleaned up after".to_owned()
        }
    }
}
