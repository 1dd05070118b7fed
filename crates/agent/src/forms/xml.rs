//! Calls of the forms `<name><parameter>…</parameter></name>` and `<name/>`.

use super::{Form, ParameterKind, TextCall};
use serde_json::{Map, Value};

/// Parses a call at the beginning of a text; returns it with its length in bytes.
pub(super) fn read(text: &str, tools: &[Form]) -> Option<(TextCall, usize)> {
    let (name, mut at) = open(text)?;
    let tool = tools.iter().find(|tool| tool.name == name)?;
    let written = |arguments: Map<String, Value>| TextCall {
        tool: tool.name.clone(),
        arguments: Value::Object(arguments).to_string(),
    };
    if text[..at].ends_with("/>") {
        return Some((written(Map::new()), at));
    }
    let close = format!("</{name}>");
    let mut arguments = Map::new();
    loop {
        at += blank(&text[at..]);
        if text[at..].starts_with(&close) {
            return Some((written(arguments), at + close.len()));
        }
        let (parameter, length) = open(&text[at..])?;
        at += length;
        if text[..at].ends_with("/>") {
            continue;
        }
        let end = end_of(&text[at..], parameter, &close)?;
        let sort = tool
            .parameters
            .iter()
            .find(|(name, _)| name == parameter)
            .map_or(ParameterKind::Text, |(_, sort)| *sort);
        arguments.insert(parameter.to_owned(), value(&text[at..at + end], sort));
        at += end + parameter.len() + "</>".len();
    }
}

/// Parses a start tag; returns its name and length.
fn open(text: &str) -> Option<(&str, usize)> {
    let rest = text.strip_prefix('<')?;
    let name = rest.split(|found: char| !(found.is_alphanumeric() || "_-".contains(found))).next()?;
    let behind = rest[name.len()..].trim_start_matches(' ');
    let tail = if behind.starts_with("/>") { 2 } else { usize::from(behind.starts_with('>')) };
    let length = text.len() - behind.len() + tail;
    (!name.is_empty() && tail > 0).then_some((name, length))
}

/// Finds the first end tag of a parameter after which another parameter or the end of the call follows.
fn end_of(text: &str, parameter: &str, close: &str) -> Option<usize> {
    let tag = format!("</{parameter}>");
    text.match_indices(&tag).map(|(at, _)| at).find(|at| {
        let behind = text[at + tag.len()..].trim_start();
        behind.starts_with(close) || open(behind).is_some()
    })
}

/// Parses the value of a parameter: JSON if the parameter has that kind and the text is valid JSON, otherwise text.
/// Text on one line is trimmed; longer text loses only the line breaks at its tags.
fn value(text: &str, sort: ParameterKind) -> Value {
    let trimmed = text.trim();
    if sort == ParameterKind::Json
        && let Ok(value) = serde_json::from_str(trimmed)
    {
        return value;
    }
    if !trimmed.contains('\n') && !text.contains("\n\n") {
        return Value::from(trimmed);
    }
    let text = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text);
    let text = text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n')).unwrap_or(text);
    Value::from(text)
}

fn blank(text: &str) -> usize {
    text.len() - text.trim_start().len()
}
