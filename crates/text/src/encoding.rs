//! Text encodings and line breaks of files.

mod decode;
mod eol;
mod kind;
mod overwrite;
mod splice;
mod text;

pub use decode::plain;
pub(crate) use eol::greatest;
pub use eol::{Eol, Indent, with_crlf};
pub use kind::{Encoding, EncodingGuess, HEAD, sniff};
pub use overwrite::Overwrite;
pub use splice::{Splice, SpliceError};
pub use text::{NotTextError, Text};
