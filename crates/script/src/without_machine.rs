//! Replacement for the JavaScript interpreter in builds without the feature `quickjs`.

use crate::{
    Reply, ScriptError, ScriptErrorKind,
    task::{Request, Script, Shared},
};
use tokio::sync::mpsc::UnboundedSender;

/// Fails with [`ScriptErrorKind::Unavailable`], because this build cannot run scripts.
pub(crate) fn run(
    _script: &Script,
    _shared: &Shared,
    _ask: UnboundedSender<Request>,
) -> Result<Reply, ScriptError> {
    Err(ScriptError::new(
        ScriptErrorKind::Unavailable,
        "this program was built without the feature `script`, so it cannot run scripts: rebuild it with that feature",
    ))
}
