//! Replacement for the JavaScript interpreter in builds without the feature `quickjs`.

use crate::{
    Reply, ScriptError, Why,
    task::{Request, Script, Shared},
};
use tokio::sync::mpsc::UnboundedSender;

/// Fails with [`Why::Unavailable`], because this build cannot run scripts.
pub(crate) fn run(
    _script: &Script,
    _shared: &Shared,
    _ask: UnboundedSender<Request>,
) -> Result<Reply, ScriptError> {
    Err(ScriptError::new(
        Why::Unavailable,
        "this program was built without the feature `script`, so it cannot run scripts: rebuild it with that feature",
    ))
}
