//! The last diagnostics that a server published for each file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::Value;

use crate::{Diagnostic, diagnostics, uri};

/// The method of the notification.
pub(crate) const PUBLISH: &str = "textDocument/publishDiagnostics";
/// Maximum number of stored files.
const FILES: usize = 2_048;
/// Maximum number of stored diagnostics of all files.
const ALL: usize = 100_000;

/// PublishedDiagnostics diagnostics by file; the oldest are dropped above the limit.
#[derive(Debug, Default)]
pub(crate) struct Board {
    files: HashMap<PathBuf, PublishedDiagnostics>,
    count: usize,
}

/// The published diagnostics of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PublishedDiagnostics {
    /// The document version, if the server sent one.
    pub(crate) version: Option<i64>,
    /// The time of arrival.
    pub(crate) when: Instant,
    /// The diagnostics, or the reason why the notification cannot be used.
    pub(crate) found: Result<Vec<Diagnostic>, String>,
}

impl Board {
    /// Stores a notification. One without a file on this machine is ignored, since no query can ask for it.
    pub(crate) fn take(&mut self, params: &Value, now: Instant) {
        let Some(path) = params.get("uri").and_then(Value::as_str).and_then(uri::path_of) else { return };
        let version = params.get("version").and_then(Value::as_i64);
        let found = diagnostics::diagnostics(params.get("diagnostics").unwrap_or(&Value::Null));
        let published = PublishedDiagnostics { version, when: now, found };
        self.remove(&path);
        self.count += published.weight();
        self.files.insert(path, published);
        while self.files.len() > FILES || (self.count > ALL && self.files.len() > 1) {
            let oldest = self.files.iter().min_by_key(|(_, published)| published.when);
            let Some(oldest) = oldest.map(|(path, _)| path.clone()) else { break };
            self.remove(&oldest);
        }
    }

    /// Returns the last published diagnostics of a file.
    pub(crate) fn of(&self, path: &Path) -> Option<PublishedDiagnostics> {
        self.files.get(path).cloned()
    }

    fn remove(&mut self, path: &Path) {
        let before = self.files.remove(path);
        self.count -= before.map_or(0, |before| before.weight());
    }
}

impl PublishedDiagnostics {
    fn weight(&self) -> usize {
        self.found.as_ref().map_or(0, Vec::len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::time::Duration;

    fn said(name: &str, list: &Value) -> Value {
        json!({ "uri": format!("file://{name}"), "version": 3, "diagnostics": list })
    }

    #[test]
    fn the_last_of_each_file_is_kept() {
        let mut board = Board::default();
        let now = Instant::now();
        let kept = |version, found| Some(PublishedDiagnostics { version, when: now, found });
        let rows = [
            (said("/a", &json!([])), kept(Some(3), Ok(Vec::new()))),
            (json!({ "uri": "file:///a" }), kept(None, Err("no list: `null`".to_owned()))),
            (json!({ "uri": "file:///a", "version": null, "diagnostics": [] }), kept(None, Ok(Vec::new()))),
            (json!({ "uri": "jdt://a", "version": 9 }), kept(None, Ok(Vec::new()))),
            (json!([]), kept(None, Ok(Vec::new()))),
        ];
        for (params, wanted) in rows {
            board.take(&params, now);
            assert_eq!(board.of(Path::new("/a")), wanted, "{params}");
        }
        assert_eq!(board.of(Path::new("/b")), None);
    }

    #[test]
    fn the_oldest_goes_where_it_is_too_much() {
        let mut board = Board::default();
        let start = Instant::now();
        for number in 0..FILES + 2 {
            let number = u32::try_from(number).unwrap();
            let when = start + Duration::from_millis(number.into());
            board.take(&said(&format!("/{number}"), &json!([])), when);
        }
        let there = |name| board.of(Path::new(name)).is_some();
        assert_eq!([there("/0"), there("/1"), there("/2")], [false, false, true]);

        let mut board = Board::default();
        let spot = |line: usize| json!({ "line": line, "character": 0 });
        let one =
            |line: usize| json!({ "range": { "start": spot(line), "end": spot(line) }, "message": "bad" });
        let many: Vec<Value> = (0..ALL).map(one).collect();
        board.take(&said("/a", &json!([one(0)])), start);
        board.take(&said("/b", &json!(many)), start + Duration::from_secs(1));
        let there = |name| board.of(Path::new(name)).map(|said| said.found.map(|found| found.len()));
        assert_eq!((there("/a"), there("/b")), (None, Some(Ok(ALL))));
    }
}
