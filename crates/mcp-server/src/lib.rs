//! MCP server over standard input and output.

mod connection;
mod error;
#[doc(hidden)]
pub mod fuzzing;
mod mcp;
mod options;
mod wire;

pub use connection::{connection, stdio};
pub use error::ServeError;
pub use options::Options;
