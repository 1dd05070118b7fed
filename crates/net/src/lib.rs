//! Network access: the list of allowed hosts, and the only code that opens connections.
//!
//! Without the feature `web` no URL can be fetched: `WebAddress::parse` refuses all of them. The list of hosts, and the
//! proxy and the published ports of commands, work in every build. Without the feature `tls` there is no TLS.

mod address;
mod charset;
#[cfg(feature = "web")]
mod client;
mod client_error;
pub mod code;
mod dial;
mod embeddings;
mod fetch;
mod forward;
#[doc(hidden)]
pub mod fuzzing;
mod hosts;
pub mod html;
mod json;
mod operator_servers;
#[cfg(feature = "web")]
mod post;
#[cfg(not(feature = "web"))]
#[path = "without_post.rs"]
mod post;
mod post_error;
mod proxy;
#[cfg(feature = "tls")]
mod server_tls;
#[cfg(feature = "tls")]
mod tls;
#[cfg(feature = "web")]
mod web;
#[cfg(not(feature = "web"))]
#[path = "without_web.rs"]
mod web;

pub use address::{AddressError, is_loopback, is_own, is_public};
pub use charset::{Bytes, DecodedText, decode};
#[cfg(feature = "web")]
pub use client::client;
pub use client_error::ClientError;
pub use dial::{DialError, dial};
pub use embeddings::{Embeddings, EmbeddingsError};
pub use fetch::{
    AllowedAddresses, BodyCompleteness, CacheValidators, FetchError, FetchRequest, FetchResponse, Gate, Head,
    ResolveFuture, Resolver, System, check_public, fetch,
};
pub use forward::{UnconnectedSockets, forward, listen_on_loopback};
pub use hosts::{HostEffect, HostError, Hosts, means};
pub use json::{json_string, pretty};
pub use operator_servers::{dial_named, dial_socket};
pub use post_error::PostError;
pub use proxy::serve;
#[cfg(feature = "tls")]
pub use server_tls::{ClientTlsStream, ServerTrust, TlsConfig};
#[cfg(feature = "tls")]
pub use tls::tls;
pub use web::WebAddress;
