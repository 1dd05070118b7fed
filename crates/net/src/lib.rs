//! The network: which hosts may be reached, and the only way to them.

mod address;
mod dial;
mod embeddings;
mod hosts;
mod named;
mod post;
mod proxy;

pub use address::is_public;
pub use dial::{DialError, dial};
pub use embeddings::{Embeddings, EmbeddingsError};
pub use hosts::{BadHost, Hosts, Say};
pub use named::{dial_named, dial_socket};
pub use post::PostError;
pub use proxy::serve;
