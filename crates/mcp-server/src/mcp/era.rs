//! The two eras of MCP: before the revision 2026-07-28, and from it on.

use rmcp::{
    model::ProtocolVersion,
    service::{RequestContext, RoleServer},
};

/// The two eras of the protocol, divided by the revision 2026-07-28.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    /// Earlier revisions: a handshake opens the connection, and either side may send requests.
    Legacy,
    /// The revision 2026-07-28 and later ones: each request describes itself, and only the client sends
    /// requests.
    Modern,
}

impl Era {
    /// Returns the era of a request.
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        let version = context.protocol_version();
        if version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28) {
            Self::Modern
        } else {
            Self::Legacy
        }
    }
}
