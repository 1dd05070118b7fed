//! Why nothing was fetched.

use std::net::IpAddr;

use crate::client::ClientError;
use crate::web::WebAddress;

/// Why nothing was fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The rules do not let the host be reached.
    #[error("{place}: {why}")]
    NotAllowed {
        /// The address.
        place: String,
        /// Why.
        why: String,
        /// What led there; nothing if it was asked for.
        from: Option<String>,
    },
    /// A name leads to an address that is somebody's own.
    #[error("{host} leads to {address}, which is no address of the public network")]
    NotPublic {
        /// The host.
        host: String,
        /// The first of its addresses that is not public.
        address: IpAddr,
        /// What led there; nothing if it was asked for.
        from: Option<String>,
    },
    /// The name has no address.
    #[error("{host} has no address: {why}")]
    Unknown {
        /// The host.
        host: String,
        /// What the system said.
        why: String,
    },
    /// It cannot be reached, or what it says is no answer.
    #[error("{place} does not answer: {why}")]
    Silent {
        /// The address.
        place: String,
        /// Why.
        why: String,
    },
    /// It does not prove who it is.
    #[error("{place} does not prove who it is: {why}")]
    Unproven {
        /// The address.
        place: String,
        /// What is wrong with its certificate.
        why: String,
    },
    /// The time was over.
    #[error("{place} had not answered when the time was over")]
    Late {
        /// The address.
        place: String,
    },
    /// An answer leads to where it is not followed.
    #[error("{from} leads to {to}, which is not followed: {why}")]
    Leads {
        /// What answered.
        from: String,
        /// Where it leads.
        to: String,
        /// Why it is not followed.
        why: String,
    },
    /// Nothing can be secured here.
    #[error(transparent)]
    Client(#[from] ClientError),
}

impl FetchError {
    /// Says what led to the address that is refused.
    pub(super) fn behind(mut self, hops: &[WebAddress]) -> Self {
        if let Self::NotAllowed { from, .. } | Self::NotPublic { from, .. } = &mut self
            && let [.., before, _] = hops
        {
            *from = Some(before.to_string());
        }
        self
    }
}
