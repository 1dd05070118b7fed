//! MCP requests in both eras of the protocol: tools, calls, approval questions and progress.

mod approvals;
mod ask;
mod call;
mod definition;
mod era;
mod handler;
mod listing;
mod progress;

pub(crate) use handler::Handler;
