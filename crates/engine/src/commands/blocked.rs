//! Whether a command seems to have failed because its sandbox held it back.

use toolpost_process::{Enforcement, Means};

/// What programs say when they are held back, in small letters.
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

/// Tells whether an output speaks of something that a sandbox does.
pub(super) fn seems(output: &str) -> bool {
    let output = output.to_ascii_lowercase();
    SAID.iter().any(|said| output.contains(said))
}

/// Says what the sandbox allows; nothing where there is none.
pub(super) fn note(enforcement: &Enforcement) -> Option<String> {
    let note = "This may be the sandbox: commands write in the workspace and in a /tmp of their own, see neither credentials nor \
                other folders of the user, and have no network but what the operator's rules allow. Work within that, or \
                leave the command to the user.";
    (enforcement.means != Means::Nothing).then(|| note.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(note(&Enforcement::off()), None);
    }
}
