//! Every alias of a tool or an argument works like the published name; the examples in refusals are accepted.

use serde_json::{Map, Value, json};
use toolpost_test_rows::each;
use toolpost_tool::decode;

/// Returns a value that satisfies a schema: its example, or a simple value of its type.
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

/// Returns an object with all properties of a schema.
fn object(schema: &Value) -> Map<String, Value> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties.map(|(name, property)| (name.clone(), value(property))).collect()
}

/// Checks that every alias of every property decodes to the published name. Returns the number of aliases.
fn check(place: &str, schema: &Value) -> usize {
    let mut sent = 0;
    let whole = object(schema);
    let wanted =
        decode(Value::Object(whole.clone()), schema).unwrap_or_else(|error| panic!("{place}: {error:?}"));
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        for alias in property["x-aliases"].as_array().into_iter().flatten() {
            let alias = alias.as_str().expect("an alias is a string");
            let mut arguments = whole.clone();
            let value = arguments.remove(name).expect("the arguments have every property");
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
fn every_argument_alias_decodes_like_the_published_name() {
    for dialect in toolpost_dialects::ALL {
        let sent: usize = dialect
            .tools
            .iter()
            .map(|tool| check(&format!("{} {}", dialect.name, tool.name), &(tool.schema)()))
            .sum();
        assert!(
            sent > 0 || dialect.tools.is_empty(),
            "the dialect {} has no aliases of arguments",
            dialect.name
        );
    }
}

#[test]
fn every_tool_alias_resolves_to_its_tool() {
    for dialect in toolpost_dialects::ALL {
        for tool in dialect.tools {
            for alias in tool.aliases {
                assert_eq!(dialect.tool(alias).map(|tool| tool.name), Some(tool.name), "{}", dialect.name);
            }
        }
    }
}

#[test]
fn published_required_file_path_of_an_edit_may_be_omitted() {
    let tool = toolpost_dialects::opencode::DIALECT.tool("multiedit").expect("the dialect has this tool");
    let schema = (tool.schema)();
    let published = toolpost_tool::published(&schema);
    let mut required: Vec<&str> = published["properties"]["edits"]["items"]["required"]
        .as_array()
        .expect("the schema has required arguments")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    required.sort_unstable();
    assert_eq!(required, ["filePath", "newString", "oldString"]);
    let arguments = json!({ "file_path": "f", "edits": [{ "old_string": "a", "new_string": "b" }] });
    let decoded = decode(arguments, &schema).map(|decoded| Value::Object(decoded.arguments));
    assert_eq!(decoded, Ok(json!({ "filePath": "f", "edits": [{ "oldString": "a", "newString": "b" }] })));
}

/// Each refusal of an argument shows an example of it that is itself accepted.
#[test]
fn examples_in_argument_refusals_are_accepted() {
    let wrong = [
        json!("x"),
        json!(7.5),
        json!(-1),
        json!(true),
        json!([]),
        json!({}),
        json!(["x"]),
        json!([7]),
        json!([{}]),
    ];
    let mut shown = 0;
    for dialect in toolpost_dialects::ALL {
        for tool in dialect.tools {
            let schema = (tool.schema)();
            let whole = object(&schema);
            for name in whole.keys() {
                each(&wrong, |value| {
                    let with = |value: &Value| {
                        let mut arguments = whole.clone();
                        arguments.insert(name.clone(), value.clone());
                        decode(Value::Object(arguments), &schema)
                    };
                    let Err(refused) = with(value) else { return };
                    let Some((_, example)) = refused.what.split_once("for example ") else { return };
                    if refused.what.contains("In ") {
                        return; // the example shows only a part of the arguments
                    }
                    let mut values = serde_json::Deserializer::from_str(example).into_iter::<Value>();
                    let example =
                        values.next().unwrap().unwrap_or_else(|_| panic!("{}: {example}", tool.name));
                    let accepted = with(&example[name]);
                    assert!(accepted.is_ok(), "{} {name}: {}: {accepted:?}", tool.name, refused.what);
                    shown += 1;
                });
            }
        }
    }
    assert!(shown > 300, "{shown}");
}

#[test]
fn dialects_have_no_mistakes_that_check_finds() {
    let all =
        toolpost_dialects::ALL.into_iter().chain(toolpost_dialects::EXTRA).chain(toolpost_dialects::INTERNAL);
    for dialect in all {
        assert_eq!(dialect.check(), Vec::<String>::new(), "{}", dialect.name);
    }
}
