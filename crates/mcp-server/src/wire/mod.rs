//! The transport: reads, parses, queues and writes messages as lines of JSON.

mod fuzz;
mod id;
mod incoming;
mod lines;
mod open;
mod reader;
mod shutdown;
mod transport;
mod turn;
mod writer;

pub(crate) use fuzz::fuzz;
pub(crate) use open::{Lane, OpenRequests, Order};
pub(crate) use reader::Reader;
pub(crate) use shutdown::ConnectionEnd;
pub(crate) use transport::{FromClient, Wire};
pub(crate) use turn::CallTurn;
pub(crate) use writer::Writer;
