//! The two eras of the protocol.

use rmcp::{
    model::ProtocolVersion,
    service::{RequestContext, RoleServer},
};

/// The two eras of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    /// A handshake opens the connection, and either side may ask.
    Legacy,
    /// Each request describes itself, and only the client asks.
    Modern,
}

impl Era {
    /// Tells to which era a request belongs.
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        let version = context.protocol_version();
        if version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28) {
            Self::Modern
        } else {
            Self::Legacy
        }
    }
}
