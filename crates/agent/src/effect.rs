//! Effect of a call, read from the data of its reply, for display.

use serde_json::Value;

/// Effect of a tool call: the end of its command, and the files that it changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Effect {
    /// End of the call's command; `None` if the call ran no command, or its exit status is unknown.
    pub command: Option<CommandEnd>,
    /// Files that the call changed.
    pub changes: Vec<FileChange>,
}

/// End of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandEnd {
    /// The command is still running.
    Running,
    /// Exited with this code.
    Exited(i64),
    /// Killed by this signal.
    Signalled(i64),
    /// Stopped by the runtime, for this reason.
    Stopped(String),
}

/// Change to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Path of the file.
    pub path: String,
    /// Number of added lines.
    pub added: u64,
    /// Number of removed lines.
    pub removed: u64,
    /// Unified diff; empty for a new or a deleted file.
    pub diff: String,
}

impl Effect {
    /// Reads the structured output of a reply. Output without changed files or a command means no effect.
    #[must_use]
    pub fn of(data: &Value) -> Self {
        let changes = data["files"].as_array().into_iter().flatten().filter_map(change).collect();
        Self { command: command(data), changes }
    }
}

fn change(file: &Value) -> Option<FileChange> {
    Some(FileChange {
        path: file["path"].as_str()?.to_owned(),
        added: file["added"].as_u64()?,
        removed: file["removed"].as_u64()?,
        diff: file["diff"].as_str()?.to_owned(),
    })
}

fn command(data: &Value) -> Option<CommandEnd> {
    let state = data["state"].as_str()?;
    data["elapsed_ms"].as_u64()?;
    let ending = &data["ending"];
    Some(match (ending["why"].as_str(), ending["code"].as_i64(), ending["signal"].as_i64()) {
        (Some(why), ..) => CommandEnd::Stopped(why.to_owned()),
        (None, Some(code), _) => CommandEnd::Exited(code),
        (None, None, Some(signal)) => CommandEnd::Signalled(signal),
        (None, None, None) if state == "ended" => return None,
        (None, None, None) => CommandEnd::Running,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use toolpost_test_rows::each;

    #[test]
    fn call_effects_are_read_from_structured_replies() {
        let ran = |state: &str, ending: Value| json!({"state": state, "elapsed_ms": 7, "ending": ending});
        let rows = [
            (ran("ended", json!({"code": 3, "signal": null, "why": null})), Some(CommandEnd::Exited(3))),
            (ran("ended", json!({"code": null, "signal": 9, "why": null})), Some(CommandEnd::Signalled(9))),
            (
                ran("ended", json!({"code": null, "signal": 9, "why": "Its time was up."})),
                Some(CommandEnd::Stopped("Its time was up.".to_owned())),
            ),
            (ran("running", Value::Null), Some(CommandEnd::Running)),
            (json!({"state": "open"}), None),
            (json!("words"), None),
        ];
        each(rows, |(data, command)| {
            assert_eq!(Effect::of(&data), Effect { command, changes: Vec::new() }, "{data}");
        });
        let changed =
            json!({"files": [{"path": "a", "added": 2, "removed": 1, "diff": "@@"}, {"path": "a line"}]});
        let change = FileChange { path: "a".to_owned(), added: 2, removed: 1, diff: "@@".to_owned() };
        assert_eq!(Effect::of(&changed), Effect { command: None, changes: vec![change] });
    }
}
