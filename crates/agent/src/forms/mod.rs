//! Tool calls in the text of an answer, for models that write them there.

mod functions;
mod xml;

use serde_json::Value;

/// Definition of a tool for parsing calls in text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// Name of the tool.
    pub name: String,
    /// Names and kinds of the parameters.
    pub parameters: Vec<(String, ParameterKind)>,
}

/// Kind of a parameter, which decides how its text is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// Literal text.
    Text,
    /// JSON: a number, a boolean, a list or an object.
    Json,
}

/// A tool call that a model wrote as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextCall {
    /// Name of the tool, as written.
    pub tool: String,
    /// Arguments, as text that should be a JSON object.
    pub arguments: String,
}

impl Form {
    /// Derives the definition from the schema of the arguments.
    #[must_use]
    pub fn of(name: &str, schema: &str) -> Self {
        let schema: Value = serde_json::from_str(schema).unwrap_or_default();
        let properties = schema.get("properties").and_then(Value::as_object);
        let parameters =
            properties.into_iter().flatten().map(|(name, property)| (name.clone(), sort(property))).collect();
        Self { name: name.to_owned(), parameters }
    }
}

fn sort(property: &Value) -> ParameterKind {
    let takes_text = match property.get("type") {
        Some(Value::String(sort)) => sort == "string",
        Some(Value::Array(sorts)) => sorts.iter().any(|sort| sort == "string"),
        _ => ["anyOf", "oneOf"]
            .iter()
            .filter_map(|key| property.get(key)?.as_array())
            .any(|choices| choices.iter().any(|choice| sort(choice) == ParameterKind::Text)),
    };
    if takes_text { ParameterKind::Text } else { ParameterKind::Json }
}

/// Finds the calls in a text, in order: `<tool><parameter>…</parameter></tool>` and `to=functions.tool {…}`.
///
/// A call must begin a line and name an existing tool (in the second form, any name). Calls in fenced blocks
/// are examples, and are ignored.
#[must_use]
pub fn find(words: &str, tools: &[Form]) -> Vec<TextCall> {
    let mut found = Vec::new();
    let (mut at, mut fence): (usize, Option<&str>) = (0, None);
    while at < words.len() {
        let rest = &words[at..];
        let line = rest.split_inclusive('\n').next().unwrap_or(rest);
        let text = line.trim_start();
        let indent = line.len() - text.len();
        let mark = fence_of(text);
        match (fence, mark) {
            (Some(open), Some(mark)) if mark.starts_with(open) && text.trim() == mark => fence = None,
            (Some(_), _) => {}
            (None, Some(mark)) => fence = Some(mark),
            (None, None) => {
                let call = xml::read(&rest[indent..], tools).or_else(|| functions::read(&rest[indent..]));
                if let Some((call, length)) = call {
                    found.push(call);
                    at += indent + length;
                    continue;
                }
            }
        }
        at += line.len();
    }
    found
}

/// Returns the fence of a line that begins or ends a fenced block; `None` for other lines.
fn fence_of(text: &str) -> Option<&str> {
    let first = text.chars().next().filter(|first| matches!(first, '`' | '~'))?;
    let marks = text.len() - text.trim_start_matches(first).len();
    (marks >= 3).then(|| &text[..marks])
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    fn tools() -> Vec<Form> {
        let edit = r#"{"properties": {"file": {"type": "string"}, "new": {"type": ["string", "null"]}, "line": {"type": "integer"},
            "all": {"type": "boolean"}, "tags": {"type": "array"}}}"#;
        vec![
            Form::of("edit", edit),
            Form::of("list", "{}"),
            Form::of("done", r#"{"properties": {"result": {"type": "string"}}}"#),
        ]
    }

    #[test]
    fn tool_calls_are_parsed_from_model_text() {
        let rows: [(&str, &[(&str, &str)]); 16] = [
            ("Only words.", &[]),
            ("<list/>", &[("list", "{}")]),
            ("I look:\n<list />\nand\n  <list></list>", &[("list", "{}"), ("list", "{}")]),
            ("<edit><file>a.rs</file><line>7</line></edit>", &[("edit", r#"{"file":"a.rs","line":7}"#)]),
            (
                "<edit>\n<file> a b.rs </file>\n<all>true</all>\n<tags>[\"x\", 1]</tags>\n</edit>",
                &[("edit", r#"{"file":"a b.rs","all":true,"tags":["x",1]}"#)],
            ),
            // Text of several lines is unchanged, except for the line breaks at its tags.
            (
                "<edit><new>\n  <b>bold</b>\n\n</new><file>7</file></edit>",
                &[("edit", r#"{"new":"  <b>bold</b>\n","file":"7"}"#)],
            ),
            // An end tag only counts if a parameter or the end of the call follows.
            ("<edit><new>a</new>b</new></edit>", &[("edit", r#"{"new":"a</new>b"}"#)]),
            // An unknown parameter, and a value that is not valid JSON, stay as text; the tool reports them.
            ("<edit><nofile>x</nofile></edit>", &[("edit", r#"{"nofile":"x"}"#)]),
            ("<edit><line>seven</line></edit>", &[("edit", r#"{"line":"seven"}"#)]),
            ("<edit><file>never closed", &[]),
            ("```\n<list/>\n```\n<list/>", &[("list", "{}")]),
            ("Say `<list/>` or <list/> in a line.", &[]),
            ("<other><file>x</file></other>", &[]),
            (
                "to=functions.edit {\"file\": \"a\",\n \"line\": 1} and then",
                &[("edit", "{\"file\": \"a\",\n \"line\": 1}")],
            ),
            ("to=functions.unknown {}\nto=functions.list\n{}", &[("unknown", "{}"), ("list", "{}")]),
            ("to=functions.edit {\"file\": \"a\n", &[("edit", "{\"file\": \"a")]),
        ];
        each(rows, |(words, wanted)| {
            let found = find(words, &tools());
            let found: Vec<(&str, &str)> =
                found.iter().map(|call| (call.tool.as_str(), call.arguments.as_str())).collect();
            assert_eq!(found, wanted, "{words}");
        });
    }
}
