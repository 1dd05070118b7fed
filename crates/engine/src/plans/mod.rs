//! Scripts and batches: operations that call tools.

pub mod batch;
pub mod offered;
pub mod plan;
pub(crate) mod store;
