//! Network access: the list of allowed hosts, and the only code that connects to them.

mod address;
mod charset;
mod client;
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
mod post;
mod proxy;
mod server_tls;
mod web;

pub use address::is_public;
pub use charset::{Bytes, DecodedText, decode};
pub use client::{ClientError, client, tls};
pub use dial::{DialError, dial};
pub use embeddings::{Embeddings, EmbeddingsError};
pub use fetch::{
    CacheValidators, End, FetchError, FetchRequest, FetchResponse, Gate, Head, Reach, ResolveFuture,
    Resolver, System, check_public, fetch,
};
pub use forward::{UnconnectedSockets, forward, listen_on_loopback};
pub use hosts::{BadHost, Hosts, Say, means};
pub use json::{json_string, pretty};
pub use operator_servers::{dial_named, dial_socket};
pub use post::PostError;
pub use proxy::serve;
pub use server_tls::{ClientTlsStream, ServerTrust, TlsConfig};
pub use web::{BadAddress, WebAddress, is_loopback, is_own};
