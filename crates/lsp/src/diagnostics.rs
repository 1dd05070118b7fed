//! Diagnostics as a server sends them.

use serde_json::Value;

use crate::answers::{self, shown};
use crate::{Place, Span};

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
    use serde_json::json;

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
}
