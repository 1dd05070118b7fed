//! Every other name of a tool and of an argument is understood as the name that is published.

use serde_json::{Map, Value, json};
use toolpost_tool::decode;

/// Makes a value that fits a schema: its own example, or the plainest of its type.
fn value(schema: &Value) -> Value {
    if let Some(example) = schema["examples"].as_array().and_then(|examples| examples.first()) {
        return example.clone();
    }
    if let Some(first) = schema["enum"].as_array().and_then(|values| values.first()) {
        return first.clone();
    }
    let types = match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().into_iter().collect::<Vec<_>>(),
    };
    let choices = schema["anyOf"].as_array().into_iter().flatten();
    match types.first() {
        Some(&"string") => json!("text"),
        Some(&"integer" | &"number") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some(&"boolean") => json!(true),
        Some(&"array") => json!([value(&schema["items"])]),
        Some(&"object") => Value::Object(object(schema)),
        _ => choices.map(value).next().unwrap_or(json!("text")),
    }
}

/// Makes an object with everything in it.
fn object(schema: &Value) -> Map<String, Value> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties.map(|(name, property)| (name.clone(), value(property))).collect()
}

/// Sends every argument of an object under each of its other names; gives how many there were.
fn check(place: &str, schema: &Value) -> usize {
    let mut sent = 0;
    let whole = object(schema);
    let wanted =
        decode(Value::Object(whole.clone()), schema).unwrap_or_else(|error| panic!("{place}: {error:?}"));
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        for alias in property["x-aliases"].as_array().into_iter().flatten() {
            let alias = alias.as_str().expect("an alias is a string");
            let mut arguments = whole.clone();
            let value = arguments.remove(name).expect("everything is in it");
            let taken = arguments.insert(alias.to_owned(), value).is_some();
            assert!(!taken, "{place}: `{alias}` is an argument and another name of `{name}`");
            let decoded = decode(Value::Object(arguments), schema);
            assert_eq!(decoded, Ok(wanted.clone()), "{place}: `{alias}` for `{name}`");
            sent += 1;
        }
        sent += check(&format!("{place}.{name}"), &property["items"]);
    }
    sent
}

#[test]
fn every_alias_of_an_argument_is_understood() {
    for dialect in toolpost_dialects::ALL {
        let sent: usize = dialect
            .tools
            .iter()
            .map(|tool| check(&format!("{} {}", dialect.name, tool.name), &(tool.schema)()))
            .sum();
        assert!(sent > 0 || dialect.tools.is_empty(), "{} has no other names at all", dialect.name);
    }
}

#[test]
fn every_alias_of_a_tool_is_the_tool() {
    for dialect in toolpost_dialects::ALL {
        for tool in dialect.tools {
            for alias in tool.aliases {
                assert_eq!(dialect.tool(alias).map(|tool| tool.name), Some(tool.name), "{}", dialect.name);
            }
        }
    }
}

#[test]
fn an_argument_that_is_published_as_required_may_be_left_out_where_another_stands_in() {
    let tool = toolpost_dialects::opencode::DIALECT.tool("multiedit").expect("it has this tool");
    let schema = (tool.schema)();
    let published = toolpost_tool::published(&schema);
    let mut required: Vec<&str> = published["properties"]["edits"]["items"]["required"]
        .as_array()
        .expect("it has required arguments")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    required.sort_unstable();
    assert_eq!(required, ["filePath", "newString", "oldString"]);
    let arguments = json!({ "file_path": "f", "edits": [{ "old_string": "a", "new_string": "b" }] });
    let decoded = decode(arguments, &schema).map(|decoded| Value::Object(decoded.arguments));
    assert_eq!(decoded, Ok(json!({ "filePath": "f", "edits": [{ "oldString": "a", "newString": "b" }] })));
}
