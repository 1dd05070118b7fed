//! The protocol in both its eras: tools, questions and answers.

mod approvals;
mod ask;
mod call;
mod definition;
mod era;
mod handler;
mod listing;
mod progress;
mod reply;

pub(crate) use handler::Handler;
