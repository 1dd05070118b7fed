//! Detects commands that probably failed because of the sandbox.

use std::path::{Path, PathBuf};
use toolpost_process::{Enforcement, Means};

/// Describes the files that the sandbox did not let a command create or change; `None` if there are none.
pub(super) fn refused(paths: &[PathBuf], directory: &Path) -> Option<String> {
    let names = names(paths, directory)?;
    let it = if paths.len() == 1 { "it" } else { "them" };
    Some(format!(
        "The sandbox did not let this command create or change {names}: other programs run what such files say without asking. \
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

/// Messages of programs that a sandbox restricts, in lower case.
const SAID: [&str; 11] = [
    "read-only file system",
    "device or resource busy",
    "permission denied",
    "operation not permitted",
    "could not resolve host",
    "temporary failure in name resolution",
    "name or service not known",
    "network is unreachable",
    "eai_again",
    "eacces",
    "erofs",
];

/// Returns whether an output has a message that a sandbox can cause.
pub(super) fn seems(output: &str) -> bool {
    let output = output.to_ascii_lowercase();
    SAID.iter().any(|said| output.contains(said))
}

/// Describes the limits of the sandbox; `None` without a sandbox.
pub(super) fn note(enforcement: &Enforcement) -> Option<String> {
    let note = "This may be the sandbox: commands write in the workspace and in a /tmp of their own, see neither credentials nor \
                other folders of the user, and have no network but what the operator's rules allow. Work within that, or \
                leave the command to the user.";
    (enforcement.means != Means::Nothing).then(|| note.to_owned())
}

/// Output of clients that find no server, and of servers that start, in small letters.
const SERVERS: [&str; 11] = [
    "connection refused",
    "econnrefused",
    "failed to connect",
    "couldn't connect",
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
        "The sandbox gives each session its own network: all commands of this session reach a server that one of them started, at \
         127.0.0.1. The user's browser does not reach it, and commands do not reach servers of the host."
    } else {
        "The sandbox gives each command its own network: a server is reached only from the command that started it, neither from \
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
    fn what_a_sandbox_does_is_known_by_what_programs_say() {
        let rows = [
            ("touch: cannot touch '/etc/x': Read-only file system", true),
            ("curl: (6) Could not resolve host: crates.io", true),
            ("npm error code EAI_AGAIN", true),
            ("error[E0308]: mismatched types", false),
            ("", false),
        ];
        for (output, wanted) in rows {
            assert_eq!(seems(output), wanted, "{output}");
        }
        assert_eq!((note(&Enforcement::off()), reached(Means::Nothing, false)), (None, None));
    }

    #[test]
    fn servers_are_known_by_what_they_and_their_clients_print() {
        let rows = [
            ("curl: (7) Failed to connect to 127.0.0.1 port 18771 after 0 ms", true),
            ("Error: connect ECONNREFUSED 127.0.0.1:5173", true),
            ("  Local:   http://localhost:5173/", true),
            ("Serving HTTP on 0.0.0.0 port 8000 (http://0.0.0.0:8000/) ...", true),
            ("see https://example.com", false),
        ];
        for (output, wanted) in rows {
            assert_eq!(serves(output), wanted, "{output}");
        }
    }
}
