//! Network access: the list of allowed hosts, and the only code that connects to them.

mod address;
mod charset;
mod client;
pub mod code;
mod dial;
mod embeddings;
mod fetch;
mod forward;
mod hosts;
pub mod html;
mod json;
mod named;
mod post;
mod proxy;
mod secured;
mod web;

pub use address::is_public;
pub use charset::{Bytes, Decoded, decode};
pub use client::{ClientError, client, tls};
pub use dial::{DialError, dial};
pub use embeddings::{Embeddings, EmbeddingsError};
pub use fetch::{
    Asked, End, FetchError, Fetched, Gate, Head, Known, Reach, Resolver, Resolving, System, fetch,
};
pub use forward::{Unconnected, forward, listen_on_loopback};
pub use hosts::{BadHost, Hosts, Say, means};
pub use json::{json_string, pretty};
pub use named::{dial_named, dial_socket};
pub use post::PostError;
pub use proxy::serve;
pub use secured::{Secured, Securing, Vouched};
pub use web::{BadAddress, WebAddress, is_own};
