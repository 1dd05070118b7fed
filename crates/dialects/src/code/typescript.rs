//! TypeScript declarations of tools, from their argument schemas.

use serde_json::{Map, Value};
use toolpost_engine::operations::offered::Tool;

/// Maximum depth of nested object types in a declaration.
const DEPTH: usize = 6;

/// Formats the TypeScript declaration of a tool.
pub(super) fn declaration(tool: &Tool) -> String {
    let schema: Value = serde_json::from_str(&tool.schema).unwrap_or_default();
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let name = &tool.name;
    let about = comment(&tool.description, "");
    if properties.is_empty() {
        return format!("{about}declare function {name}(): string;\n");
    }
    let optional = if required(&schema).is_empty() { "?" } else { "" };
    format!(
        "{about}declare function {name}(args{optional}: {}): string;\n",
        object(&schema, properties, "", DEPTH)
    )
}

fn required(schema: &Value) -> Vec<&str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str).collect()
}

fn object(schema: &Value, properties: &Map<String, Value>, indent: &str, depth: usize) -> String {
    let (required, inner) = (required(schema), format!("{indent}  "));
    let mut text = "{\n".to_owned();
    for (name, property) in properties {
        let mark = if required.contains(&name.as_str()) { "" } else { "?" };
        let plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        let plain = plain && !name.starts_with(|letter: char| letter.is_ascii_digit());
        let name = if plain { name.clone() } else { Value::from(name.as_str()).to_string() };
        text.push_str(&comment(&about(property), &inner));
        text.push_str(&format!("{inner}{name}{mark}: {};\n", kind(property, &inner, depth)));
    }
    text.push_str(&format!("{indent}}}"));
    text
}

/// Formats the description and the default of an argument.
fn about(property: &Value) -> String {
    let words = property.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    let default = property.get("default").map(|default| format!("Default: {default}"));
    [Some(words).filter(|words| !words.is_empty()), default]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}

fn comment(words: &str, indent: &str) -> String {
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ").replace("*/", "*\\/");
    if words.is_empty() { String::new() } else { format!("{indent}/** {words} */\n") }
}

/// Returns the TypeScript type of a schema.
fn kind(schema: &Value, indent: &str, depth: usize) -> String {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return union(values.iter().map(Value::to_string));
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(choices) = schema.get(key).and_then(Value::as_array) {
            return union(choices.iter().map(|choice| kind(choice, indent, depth)));
        }
    }
    match schema.get("type") {
        Some(Value::String(name)) => named(name, schema, indent, depth),
        Some(Value::Array(names)) => {
            union(names.iter().filter_map(Value::as_str).map(|name| named(name, schema, indent, depth)))
        }
        _ => "unknown".to_owned(),
    }
}

fn named(name: &str, schema: &Value, indent: &str, depth: usize) -> String {
    match name {
        "integer" | "number" => "number".to_owned(),
        "string" | "boolean" | "null" => name.to_owned(),
        "array" => {
            let items = schema.get("items").map_or("unknown".to_owned(), |items| kind(items, indent, depth));
            if items.contains(" | ") && !items.starts_with('{') {
                format!("({items})[]")
            } else {
                format!("{items}[]")
            }
        }
        "object" => match schema.get("properties").and_then(Value::as_object) {
            Some(properties) if depth > 0 && !properties.is_empty() => {
                object(schema, properties, indent, depth - 1)
            }
            _ => "Record<string, unknown>".to_owned(),
        },
        _ => "unknown".to_owned(),
    }
}

/// Joins types into a union without duplicates.
fn union(kinds: impl Iterator<Item = String>) -> String {
    let mut joined: Vec<String> = Vec::new();
    for kind in kinds {
        if !joined.contains(&kind) {
            joined.push(kind);
        }
    }
    joined.join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use toolpost_test_rows::each;

    #[test]
    fn tool_schemas_become_typescript_declarations() {
        let rows = [
            (json!({"type": "object", "properties": {}}), "(): string;"),
            (
                json!({"properties": {"a": {"type": "string", "description": "A name.\nOf it."}, "b-c": {"type": "integer", "default": 3}}, "required": ["a"]}),
                "(args: {\n  /** A name. Of it. */\n  a: string;\n  /** Default: 3 */\n  \"b-c\"?: number;\n}): string;",
            ),
            (
                json!({"properties": {"a": {"type": ["string", "null"]}, "b": {"enum": ["x", "y"]}, "c": {"anyOf": [{"type": "number"}, {"type": "integer"}]}}}),
                "(args?: {\n  a?: string | null;\n  b?: \"x\" | \"y\";\n  c?: number;\n}): string;",
            ),
            (
                json!({"properties": {"l": {"type": "array", "items": {"type": "object", "properties": {"p": {"type": "boolean"}}, "required": ["p"]}}, "m": {"type": "array", "items": {"enum": [1, 2]}}, "o": {"type": "object"}, "u": {}}, "required": ["l"]}),
                "(args: {\n  l: {\n    p: boolean;\n  }[];\n  m?: (1 | 2)[];\n  o?: Record<string, unknown>;\n  u?: unknown;\n}): string;",
            ),
        ];
        each(rows, |(schema, wanted)| {
            let tool = Tool {
                name: "mcp__a_b__c".to_owned(),
                description: "Does */ it.".to_owned(),
                schema: schema.to_string(),
            };
            let wanted = format!("/** Does *\\/ it. */\ndeclare function mcp__a_b__c{wanted}\n");
            assert_eq!(declaration(&tool), wanted, "{schema}");
        });
    }
}
