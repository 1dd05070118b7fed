//! Renames of symbols, as edits proposed by a server.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::answers::{self, shown};
use crate::question::spot;
use crate::wire::locked;
use crate::{Client, Fault, Position, Step, Version, edits};

const PROMISE: &str = "renameProvider";
const PREPARE: &str = "textDocument/prepareRename";
const RENAME: &str = "textDocument/rename";

/// The result of a rename.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RenameAnswer {
    /// The server proposes no edit: no symbol that can be renamed is at the position.
    Nothing,
    /// The proposed steps; none is applied yet. An empty list means that the name is unchanged.
    Steps(Vec<Step>),
}

impl Client<'_> {
    /// Returns the changes that rename the symbol at a position of a file.
    ///
    /// # Errors
    /// As for a question; also if a file to change was changed meanwhile.
    pub async fn rename(
        &self,
        path: &Path,
        at: Position,
        name: &str,
        within: Duration,
    ) -> Result<RenameAnswer, Fault> {
        let promise = self.promised(PROMISE, RENAME)?;
        let end = Instant::now() + within;
        let mut params = spot(path, at);
        if promise.get("prepareProvider").and_then(Value::as_bool) == Some(true) {
            let answer = self.put(PREPARE, &params, within).await?;
            if !can_be(&answer).map_err(|what| self.odd(PREPARE, what))? {
                return Ok(RenameAnswer::Nothing);
            }
        }
        params["newName"] = json!(name);
        let before = locked(&self.server.documents).versions();
        let answer = self.put(RENAME, &params, end.saturating_duration_since(Instant::now())).await?;
        if answer.is_null() {
            return Ok(RenameAnswer::Nothing);
        }
        let now = locked(&self.server.documents).versions();
        let judge = |path: Option<&Path>, said: Option<i64>| {
            let version =
                |of: &std::collections::HashMap<_, i64>| path.and_then(|path| of.get(path).copied());
            match (version(&before), version(&now), said) {
                (_, Some(now), Some(said)) if said == now => Version::Present,
                (_, Some(_), Some(_)) => Version::Earlier,
                (before, now, _) if before != now => Version::Earlier,
                (_, Some(_), None) => Version::Present,
                (_, None, _) => Version::Unknown,
            }
        };
        let steps = edits::steps(&answer, &judge).map_err(|what| self.odd(RENAME, what))?;
        let stale = steps.iter().find_map(|step| match step {
            Step::Edit { file, of: Version::Earlier, .. } => Some(file.address.clone()),
            _ => None,
        });
        match stale {
            Some(file) => Err(Fault::Stale { server: self.name(), method: RENAME.to_owned(), file }),
            None => Ok(RenameAnswer::Steps(steps)),
        }
    }
}

/// Reads whether the symbol can be renamed.
fn can_be(answer: &Value) -> Result<bool, String> {
    let default = answer.get("defaultBehavior").and_then(Value::as_bool);
    let range = answer.get("range").unwrap_or(answer);
    match (answer, default, answers::span(range)) {
        (Value::Null, ..) => Ok(false),
        (_, Some(default), _) => Ok(default),
        (_, None, Some(_)) => Ok(true),
        (_, None, None) => Err(format!("no place that can get another name: {}", shown(answer))),
    }
}
