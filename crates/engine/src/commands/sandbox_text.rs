//! Texts about the sandbox that several replies share.

/// The subject of the sentences about the sandbox.
pub(super) const SANDBOX: &str = "Toolpost's sandbox";

/// Explains that commands have no network and no servers, if Landlock is the only means of the sandbox: its filter of
/// system calls then refuses every socket.
pub(super) fn no_sockets() -> String {
    format!(
        "{SANDBOX} does not let commands create sockets, because the system allows no namespaces: commands cannot be \
         servers, and reach neither the network nor local servers. Leave this command to the user."
    )
}
