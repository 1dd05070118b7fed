//! Diagnostics of a file.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::answers::{self, shown};
use crate::documents::Shown;
use crate::published::{PUBLISH, Published};
use crate::wire::locked;
use crate::{Fault, Place, Span, Talk, Version, uri};

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

/// One diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The range.
    pub span: Span,
    /// The severity, if the server sent one.
    pub severity: Option<Severity>,
    /// The code.
    pub code: Option<String>,
    /// The tool that reported it.
    pub source: Option<String>,
    /// The message.
    pub message: String,
    /// Related locations with their messages.
    pub related: Vec<(Place, String)>,
}

/// A severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// An error.
    Error,
    /// A warning.
    Warning,
    /// Information.
    Information,
    /// A hint.
    Hint,
}

impl Talk<'_> {
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
fn judge(said: &Published, shown: Option<Shown>) -> Version {
    match (shown, said.version) {
        (None, _) => Version::Unknown,
        (Some(shown), Some(version)) if version == shown.version => Version::Present,
        (Some(_), Some(_)) => Version::Earlier,
        (Some(shown), None) if said.when < shown.when => Version::Earlier,
        // The notification may have been sent before the file changed.
        (Some(_), None) => Version::Unknown,
    }
}

/// Parses a list of diagnostics.
pub(crate) fn diagnostics(list: &Value) -> Result<Vec<Diagnostic>, String> {
    let all = list.as_array().ok_or_else(|| format!("no list: {}", shown(list)))?;
    let mut found = all.iter().map(diagnostic).collect::<Result<Vec<_>, _>>()?;
    found.sort_by_key(|one| (one.span, one.severity));
    found.dedup();
    Ok(found)
}

fn diagnostic(value: &Value) -> Result<Diagnostic, String> {
    let odd = || format!("nothing that is wrong: {}", shown(value));
    let code = match value.get("code") {
        Some(Value::String(name)) => Some(name.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    let severity = match value.get("severity").and_then(Value::as_u64) {
        Some(1) => Some(Severity::Error),
        Some(2) => Some(Severity::Warning),
        Some(3) => Some(Severity::Information),
        Some(4) => Some(Severity::Hint),
        _ => None,
    };
    let message = value.get("message").ok_or_else(odd)?;
    let message = message.as_str().or_else(|| message.get("value")?.as_str()).ok_or_else(odd)?;
    let related = match value.get("relatedInformation") {
        None | Some(Value::Null) => Vec::new(),
        Some(list) => list.as_array().and_then(|list| list.iter().map(related).collect()).ok_or_else(odd)?,
    };
    Ok(Diagnostic {
        span: value.get("range").and_then(answers::span).ok_or_else(odd)?,
        severity,
        code,
        source: value.get("source").and_then(Value::as_str).map(str::to_owned),
        message: message.to_owned(),
        related,
    })
}

fn related(value: &Value) -> Option<(Place, String)> {
    let address = value.pointer("/location/uri")?.as_str()?;
    let span = answers::span(value.pointer("/location/range")?)?;
    Some((answers::place_at(address, span), value.get("message")?.as_str()?.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position;

    #[test]
    fn what_is_wrong_is_read_as_it_comes() {
        let at = |character| Position { line: 1, character };
        let span = Span { from: at(2), to: at(3) };
        let range = json!({ "start": { "line": 1, "character": 2 }, "end": { "line": 1, "character": 3 } });
        let plain = Diagnostic {
            span,
            severity: None,
            code: None,
            source: None,
            message: "bad".to_owned(),
            related: Vec::new(),
        };
        let full = Diagnostic {
            severity: Some(Severity::Warning),
            code: Some("7".to_owned()),
            source: Some("lint".to_owned()),
            related: vec![(answers::place_at("file:///b", span), "here".to_owned())],
            ..plain.clone()
        };
        let worst =
            Diagnostic { severity: Some(Severity::Error), code: Some("E1".to_owned()), ..plain.clone() };
        let said = json!({ "range": range, "message": "bad" });
        let more = json!({ "range": range, "message": "bad", "severity": 2, "code": 7, "source": "lint",
            "relatedInformation": [{ "location": { "uri": "file:///b", "range": range }, "message": "here" }] });
        let error = json!({ "range": range, "message": { "kind": "markdown", "value": "bad" }, "severity": 1,
            "code": "E1", "relatedInformation": null });
        let odd = |what: &Value| Err(format!("nothing that is wrong: {}", shown(what)));
        let half = json!({ "range": range, "message": "bad", "relatedInformation": [{}] });
        let rows = [
            (json!([]), Ok(vec![])),
            (json!([said, said]), Ok(vec![plain.clone()])),
            (json!([more, error, said]), Ok(vec![plain, worst, full])),
            (Value::Null, Err("no list: `null`".to_owned())),
            (json!([{ "message": "bad" }]), odd(&json!({ "message": "bad" }))),
            (json!([{ "range": range }]), odd(&json!({ "range": range }))),
            (json!([half]), odd(&half)),
        ];
        for (list, wanted) in rows {
            assert_eq!(diagnostics(&list), wanted, "{list}");
        }
    }

    #[test]
    fn what_is_published_is_of_a_content() {
        let start = Instant::now();
        let later = start + Duration::from_secs(1);
        let said = |version, when| Published { version, when, found: Ok(Vec::new()) };
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
