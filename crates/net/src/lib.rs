//! The network: which hosts may be reached, and the only way to them.

mod address;
mod dial;
mod hosts;
mod named;
mod proxy;

pub use address::is_public;
pub use dial::{DialError, dial};
pub use hosts::{BadHost, Hosts, Say};
pub use named::{dial_named, dial_socket};
pub use proxy::serve;
