//! Notes of a reply on guarded files, and on servers that a command starts.

use std::path::{Path, PathBuf};
use toolpost_process::Means;

/// Describes the files that the sandbox did not let a command create or change; `None` if there are none.
pub(super) fn refused(paths: &[PathBuf], directory: &Path) -> Option<String> {
    let names = names(paths, directory)?;
    let it = if paths.len() == 1 { "it" } else { "them" };
    Some(format!(
        "Toolpost's sandbox did not let this command create or change {names}: other programs run what such files say without asking. \
         Write {it} with a tool for files, which asks the user, or leave {it} out. A rule that lets these paths be written lets \
         commands write them, too."
    ))
}

/// Describes the changed files that the user should check; `None` if there are none.
pub(super) fn changed(paths: &[PathBuf], directory: &Path) -> Option<String> {
    let names = names(paths, directory)?;
    Some(format!(
        "Changed since this command started: {names}. Agents follow what such a file says, or programs go on with it: tell the \
         user, who should look at it."
    ))
}

/// Lists paths relative to a command's working directory.
fn names(paths: &[PathBuf], directory: &Path) -> Option<String> {
    let shown = paths.iter().map(|path| {
        let path = path.strip_prefix(directory).unwrap_or(path);
        format!("`{}`", path.display().to_string().trim_end_matches('/'))
    });
    let shown: Vec<String> = shown.collect();
    (!shown.is_empty()).then(|| shown.join(", "))
}

/// Output of servers that start, in small letters.
const SERVERS: [&str; 7] = [
    "listening on",
    "serving http on",
    "http://localhost",
    "http://127.0.0.1",
    "http://0.0.0.0",
    "http://[::",
    "running on http",
];

/// Returns whether an output mentions a server on this machine.
pub(super) fn serves(output: &str) -> bool {
    let output = output.to_ascii_lowercase();
    SERVERS.iter().any(|said| output.contains(said))
}

/// Explains which programs can reach a server that a command starts; `None` without a sandbox.
pub(super) fn reached(means: Means, shared: bool) -> Option<String> {
    let note = if shared {
        "Toolpost's sandbox gives each session its own network: all commands of this session reach a server that one of them started, at \
         127.0.0.1. The user's browser does not reach it, and commands do not reach servers of the host."
    } else {
        "Toolpost's sandbox gives each command its own network: a server is reached only from the command that started it, neither from \
         another command nor from the user's browser. Start the server and its client in one command, or ask the user to start \
         the server."
    };
    (means != Means::Nothing).then(|| note.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_named_from_the_directory_of_the_command() {
        let paths = ["/w/.envrc", "/w/.git/modules/", "/v/.vscode"].map(PathBuf::from);
        let said = refused(&paths, Path::new("/w")).unwrap();
        assert!(said.contains("create or change `.envrc`, `.git/modules`, `/v/.vscode`: "), "{said}");
        let said = changed(&paths[..1], Path::new("/w")).unwrap();
        assert!(said.starts_with("Changed since this command started: `.envrc`."), "{said}");
        assert_eq!((refused(&[], Path::new("/")), changed(&[], Path::new("/"))), (None, None));
    }

    #[test]
    fn servers_are_known_by_what_they_print() {
        let rows = [
            ("curl: (7) Failed to connect to 127.0.0.1 port 18771 after 0 ms", false),
            ("  Local:   http://localhost:5173/", true),
            ("Serving HTTP on 0.0.0.0 port 8000 (http://0.0.0.0:8000/) ...", true),
            ("see https://example.com", false),
        ];
        for (output, wanted) in rows {
            assert_eq!(serves(output), wanted, "{output}");
        }
        assert_eq!(reached(Means::Nothing, false), None);
    }
}
