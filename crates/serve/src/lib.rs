//! MCP over stdio.

mod connection;
mod error;
mod mcp;
mod options;
mod wire;

pub use connection::{connection, stdio};
pub use error::ServeError;
pub use options::Options;
