//! The diagnostics of a file, pulled or published, and the content that they refer to.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::answers::shown;
use crate::diagnostics::{Diagnostic, diagnostics};
use crate::documents::Shown;
use crate::published::{PUBLISH, PublishedDiagnostics};
use crate::wire::locked;
use crate::{Client, Fault, Version, uri};

const PROMISE: &str = "diagnosticProvider";
const PULL: &str = "textDocument/diagnostic";

/// A server's diagnostics of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// No diagnostics yet, which does not mean that the file is correct.
    NoneYet,
    /// The server has checked the file.
    Given {
        /// The checked content.
        of: Version,
        /// The diagnostics, by position.
        found: Vec<Diagnostic>,
    },
}

impl Client<'_> {
    /// Returns the diagnostics of an open file. For a server that only publishes them, waits for the given time.
    ///
    /// # Errors
    /// As for a question.
    pub async fn diagnostics(&self, path: &Path, within: Duration) -> Result<Verdict, Fault> {
        match self.promised(PROMISE, PULL) {
            Ok(promise) => self.pull(path, promise, within).await,
            Err(_) => self.published(path, within).await,
        }
    }

    async fn pull(&self, path: &Path, promise: &Value, within: Duration) -> Result<Verdict, Fault> {
        let mut params = json!({ "textDocument": { "uri": uri::of_path(path) } });
        if let Some(name) = promise.get("identifier").filter(|name| name.is_string()) {
            params["identifier"] = name.clone();
        }
        let before = self.shown(path);
        let answer = self.put(PULL, &params, within).await?;
        let of = match (before, self.shown(path)) {
            (None, None) => Version::Unknown,
            (before, now) if before == now => Version::Present,
            _ => Version::Earlier,
        };
        if answer.is_null() {
            return Ok(Verdict::NoneYet);
        }
        let found = match answer.get("kind").and_then(Value::as_str) {
            // A previous result id would allow an "unchanged" answer, so none is sent.
            None | Some("full") => answer.get("items").ok_or_else(|| format!("no list: {}", shown(&answer))),
            Some(_) => Err(format!("no full list: {}", shown(&answer))),
        };
        let found = found.and_then(diagnostics).map_err(|what| self.odd(PULL, what))?;
        Ok(Verdict::Given { of, found })
    }

    /// Waits for diagnostics of the current content, and otherwise returns the latest.
    async fn published(&self, path: &Path, within: Duration) -> Result<Verdict, Fault> {
        let end = Instant::now() + within;
        let mut news = self.server.heard.follow();
        loop {
            news.mark_unchanged();
            let said = locked(&self.server.heard.published).of(path);
            let of = said.as_ref().map(|said| judge(said, self.shown(path)));
            let left = end.saturating_duration_since(Instant::now());
            let waits = matches!(of, None | Some(Version::Earlier)) && !left.is_zero();
            if let Some(fault) = self.server.lost() {
                return Err(fault);
            }
            if !waits {
                let (Some(said), Some(of)) = (said, of) else { return Ok(Verdict::NoneYet) };
                let found = said.found.map_err(|what| self.odd(PUBLISH, what))?;
                return Ok(Verdict::Given { of, found });
            }
            // The state is checked again with or without a notification.
            let _ = timeout(left, news.changed()).await;
        }
    }

    fn shown(&self, path: &Path) -> Option<Shown> {
        locked(&self.server.documents).shown(path)
    }
}

/// Returns the content that published diagnostics refer to.
fn judge(said: &PublishedDiagnostics, shown: Option<Shown>) -> Version {
    match (shown, said.version) {
        (None, _) => Version::Unknown,
        (Some(shown), Some(version)) if version == shown.version => Version::Present,
        (Some(_), Some(_)) => Version::Earlier,
        (Some(shown), None) if said.when < shown.when => Version::Earlier,
        // The notification may have been sent before the file changed.
        (Some(_), None) => Version::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_published_is_of_a_content() {
        let start = Instant::now();
        let later = start + Duration::from_secs(1);
        let said = |version, when| PublishedDiagnostics { version, when, found: Ok(Vec::new()) };
        let shown = |when| Some(Shown { version: 2, when });
        let rows = [
            (said(Some(2), later), shown(start), Version::Present),
            (said(Some(1), later), shown(start), Version::Earlier),
            (said(None, later), shown(start), Version::Unknown),
            (said(None, start), shown(later), Version::Earlier),
            (said(Some(2), later), None, Version::Unknown),
            (said(None, later), None, Version::Unknown),
        ];
        for (said, shown, wanted) in rows {
            assert_eq!(judge(&said, shown), wanted, "{said:?} {shown:?}");
        }
    }
}
