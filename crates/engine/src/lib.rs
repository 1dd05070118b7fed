//! Every operation, one file each, and the session.

mod changing;
mod cx;
mod engine;
mod failure;
mod failures;
mod fresh;
mod operation;
pub mod operations;
mod session;
mod show;
mod touch;
mod walking;

pub use cx::{CallCtx, Expected, Fresh, MayRead, Progress};
pub use engine::Engine;
pub use failure::{Failure, Hint, Kind};
pub use operation::Operation;
pub use session::{Part, Seen, Session};
pub use touch::{Access, Extent, Touch};
