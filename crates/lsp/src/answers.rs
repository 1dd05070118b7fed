//! Parsing of answers, in all forms that real servers send, including empty and invalid ones.

use std::path::PathBuf;

use serde_json::Value;

use crate::{Position, uri};

/// Names of the symbol kinds, indexed by the protocol's number minus one.
const KINDS: [&str; 26] = [
    "file",
    "module",
    "namespace",
    "package",
    "class",
    "method",
    "property",
    "field",
    "constructor",
    "enum",
    "interface",
    "function",
    "variable",
    "constant",
    "string",
    "number",
    "boolean",
    "array",
    "object",
    "key",
    "null",
    "variant",
    "struct",
    "event",
    "operator",
    "type parameter",
];
/// Maximum nesting depth of symbols.
const DEPTH: usize = 64;

/// A range in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// The first position.
    pub from: Position,
    /// The position after the last character.
    pub to: Position,
}

/// A location in an answer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodeLocation {
    /// The file; `None` if it is not on this machine.
    pub path: Option<PathBuf>,
    /// The URI, as the server sent it.
    pub address: String,
    /// The range in the file.
    pub span: Span,
}

/// A symbol that a file defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentSymbol {
    /// The name of the symbol.
    pub name: String,
    /// The kind of the symbol, such as `function`; `symbol` if the server reports an unknown kind.
    pub kind: &'static str,
    /// Further details from the server, such as the type.
    pub detail: Option<String>,
    /// The name of the symbol that contains this one; `None` if the server reports no such symbol.
    pub within: Option<String>,
    /// The number of symbols that contain this one; 0 if the server sends a flat list.
    pub depth: usize,
    /// The start of the name, or of the symbol if the server does not report the name.
    pub at: Position,
    /// The range of the whole symbol.
    pub span: Span,
}

/// Parses locations. The answer is `null`, one location, or a list; a location may be a `LocationLink`.
pub(crate) fn places(answer: &Value) -> Result<Vec<CodeLocation>, String> {
    let mut found = match answer {
        Value::Null => Vec::new(),
        Value::Array(all) => all.iter().map(place).collect::<Result<Vec<_>, _>>()?,
        one => vec![place(one)?],
    };
    found.sort();
    found.dedup();
    Ok(found)
}

/// Parses a hover text. The answer has a string, an object (markup, or code with its language), or a list of these.
pub(crate) fn text(answer: &Value) -> Result<Option<String>, String> {
    if answer.is_null() {
        return Ok(None);
    }
    let contents = answer.get("contents").ok_or_else(|| format!("no contents in {}", shown(answer)))?;
    let piece = |value: &Value| -> Result<String, String> {
        if let Some(text) = value.as_str() {
            return Ok(text.to_owned());
        }
        let text = value.get("value").and_then(Value::as_str).ok_or_else(|| shown(value))?;
        Ok(match value.get("language").and_then(Value::as_str) {
            Some(language) => format!("```{language}\n{text}\n```"),
            None => text.to_owned(),
        })
    };
    let pieces = match contents {
        Value::Null => Vec::new(),
        Value::Array(all) => all.iter().map(piece).collect::<Result<Vec<_>, _>>()?,
        one => vec![piece(one)?],
    };
    let text = pieces.join("\n\n").trim().to_owned();
    Ok((!text.is_empty()).then_some(text))
}

/// Parses the symbols of a file, which servers send as a tree or as a flat list.
pub(crate) fn symbols(answer: &Value) -> Result<Vec<DocumentSymbol>, String> {
    let mut out = Vec::new();
    match answer {
        Value::Null => {}
        Value::Array(all) => all.iter().try_for_each(|one| symbol(one, None, 0, &mut out))?,
        other => return Err(format!("expected a list of symbols, got {}", shown(other))),
    }
    Ok(out)
}

fn place(value: &Value) -> Result<CodeLocation, String> {
    let link = value.get("targetUri");
    let address = link.or_else(|| value.get("uri")).and_then(Value::as_str);
    let range = if link.is_some() { value.get("targetSelectionRange") } else { value.get("range") };
    let range = range.or_else(|| value.get("targetRange"));
    match (address, range.and_then(span)) {
        (Some(address), Some(span)) => Ok(place_at(address, span)),
        _ => Err(format!("expected a location, got {}", shown(value))),
    }
}

fn symbol(
    value: &Value,
    within: Option<&str>,
    depth: usize,
    out: &mut Vec<DocumentSymbol>,
) -> Result<(), String> {
    let odd = || format!("expected a symbol, got {}", shown(value));
    if depth > DEPTH {
        return Err(format!("symbols are nested more than {DEPTH} deep"));
    }
    let text = |name: &str| value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let name = value.get("name").and_then(Value::as_str).ok_or_else(odd)?;
    let range = value.get("range").or_else(|| value.pointer("/location/range"));
    let whole = range.and_then(span).ok_or_else(odd)?;
    let at = value.get("selectionRange").and_then(span).map_or(whole.from, |span| span.from);
    out.push(DocumentSymbol {
        name: name.to_owned(),
        kind: kind(value),
        detail: text("detail").map(str::to_owned),
        within: within.or_else(|| text("containerName")).map(str::to_owned),
        depth,
        at,
        span: whole,
    });
    let children = value.get("children").and_then(Value::as_array).into_iter().flatten();
    for child in children {
        symbol(child, Some(name), depth + 1, out)?;
    }
    Ok(())
}

/// Returns the name of a symbol's kind.
fn kind(symbol: &Value) -> &'static str {
    let kind = symbol.get("kind").and_then(Value::as_u64).and_then(|kind| usize::try_from(kind).ok());
    let kind = kind.and_then(|kind| kind.checked_sub(1)).and_then(|kind| KINDS.get(kind));
    kind.copied().unwrap_or("symbol")
}

/// Builds a location from a URI.
fn place_at(address: &str, span: Span) -> CodeLocation {
    CodeLocation { path: uri::path_of(address), address: address.to_owned(), span }
}

/// Reads a range.
fn span(value: &Value) -> Option<Span> {
    let position = |name: &str| {
        let at = value.get(name)?;
        let number = |name: &str| at.get(name)?.as_u64()?.try_into().ok();
        Some(Position { line: number("line")?, character: number("character")? })
    };
    Some(Span { from: position("start")?, to: position("end")? })
}

/// Formats an unexpected value, truncated to a maximum length.
pub(crate) fn shown(value: &Value) -> String {
    let mut text = value.to_string();
    if let Some((cut, _)) = text.char_indices().nth(120) {
        text.truncate(cut);
        text.push('…');
    }
    format!("`{text}`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use toolpost_test_rows::each;

    fn range(line: u32, from: u32, to: u32) -> Value {
        json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": to } })
    }

    fn at(line: u32, from: u32, to: u32) -> Span {
        let position = |character| Position { line, character };
        Span { from: position(from), to: position(to) }
    }

    #[test]
    fn locations_are_parsed_in_every_shape() {
        let wanted = CodeLocation {
            path: Some("/a b".into()),
            address: "file:///a%20b".to_owned(),
            span: at(1, 2, 3),
        };
        let one = json!({ "uri": "file:///a%20b", "range": range(1, 2, 3) });
        let link = json!({ "targetUri": "file:///a%20b", "targetRange": range(1, 0, 9),
            "targetSelectionRange": range(1, 2, 3) });
        let rows = [
            (Value::Null, Ok(vec![])),
            (json!([]), Ok(vec![])),
            (one.clone(), Ok(vec![wanted.clone()])),
            (json!([one, one]), Ok(vec![wanted.clone()])),
            (json!([link]), Ok(vec![wanted.clone()])),
            (
                json!({ "uri": "jdt://x", "range": range(1, 2, 3) }),
                Ok(vec![CodeLocation { path: None, address: "jdt://x".to_owned(), ..wanted }]),
            ),
            (
                json!([{ "uri": "file:///a" }]),
                Err("expected a location, got `{\"uri\":\"file:///a\"}`".to_owned()),
            ),
            (json!("x"), Err("expected a location, got `\"x\"`".to_owned())),
        ];
        each(rows, |(answer, wanted)| {
            assert_eq!(places(&answer), wanted, "{answer}");
        });
    }

    #[test]
    fn hover_texts_are_parsed_in_every_shape() {
        let some = |text: &str| Ok(Some(text.to_owned()));
        let rows = [
            (Value::Null, Ok(None)),
            (json!({ "contents": [] }), Ok(None)),
            (json!({ "contents": " x " }), some("x")),
            (json!({ "contents": { "kind": "markdown", "value": "**x**" } }), some("**x**")),
            (
                json!({ "contents": [{ "language": "c", "value": "int x" }, "y"] }),
                some("```c\nint x\n```\n\ny"),
            ),
            (json!({ "contents": 1 }), Err("`1`".to_owned())),
            (json!({}), Err("no contents in `{}`".to_owned())),
        ];
        each(rows, |(answer, wanted)| {
            assert_eq!(text(&answer), wanted, "{answer}");
        });
    }

    #[test]
    fn document_symbols_are_parsed_as_trees_and_lists() {
        let named = |name: &str, kind, within: Option<&str>, depth, start: u32| DocumentSymbol {
            name: name.to_owned(),
            kind,
            detail: None,
            within: within.map(str::to_owned),
            depth,
            at: Position { line: 1, character: start },
            span: at(1, 0, 9),
        };
        let tree = json!([{ "name": "A", "kind": 5, "detail": "", "range": range(1, 0, 9),
            "selectionRange": range(1, 6, 7), "children": [
                { "name": "b", "kind": 99, "range": range(1, 0, 9), "selectionRange": range(1, 3, 4) }] }]);
        let list = json!([{ "name": "b", "kind": 6, "containerName": "A",
            "location": { "uri": "file:///a", "range": range(1, 0, 9) } }]);
        let mut deep = json!({ "name": "A", "kind": 1, "range": range(1, 0, 9) });
        for _ in 0..=DEPTH {
            deep = json!({ "name": "A", "kind": 1, "range": range(1, 0, 9), "children": [deep] });
        }
        let rows = [
            (Value::Null, Ok(vec![])),
            (tree, Ok(vec![named("A", "class", None, 0, 6), named("b", "symbol", Some("A"), 1, 3)])),
            (list, Ok(vec![named("b", "method", Some("A"), 0, 0)])),
            (json!([{ "kind": 1 }]), Err("expected a symbol, got `{\"kind\":1}`".to_owned())),
            (json!({}), Err("expected a list of symbols, got `{}`".to_owned())),
            (json!([deep]), Err("symbols are nested more than 64 deep".to_owned())),
        ];
        each(rows, |(answer, wanted)| {
            assert_eq!(symbols(&answer), wanted, "{answer}");
        });
    }
}
