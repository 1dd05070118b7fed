//! Models that the operator named in place of the embedded one, as what makes vectors of texts.

mod local;
mod service;

pub use local::{Local, Unreadable};
pub use service::Service;
