//! The transport: reads, parses, queues and writes messages as lines of JSON.

mod ends;
mod id;
mod incoming;
mod lines;
mod open;
mod reader;
mod transport;
mod turn;
mod writer;

pub(crate) use ends::ConnectionEnd;
pub(crate) use open::{Lane, OpenRequests, Order};
pub(crate) use reader::Reader;
pub(crate) use transport::{FromClient, Wire};
pub(crate) use turn::Turn;
pub(crate) use writer::Writer;
