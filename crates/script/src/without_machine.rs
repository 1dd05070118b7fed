//! Stand-in for the interpreter in a build without it.

use crate::{
    Fault, Reply, Why,
    task::{Request, Script, Shared},
};
use tokio::sync::mpsc::UnboundedSender;

/// Refuses a script.
pub(crate) fn run(
    _script: &Script,
    _shared: &Shared,
    _ask: UnboundedSender<Request>,
) -> Result<Reply, Fault> {
    Err(Fault::new(
        Why::Unavailable,
        "this program was built without the feature `script`, so it runs no scripts",
    ))
}
