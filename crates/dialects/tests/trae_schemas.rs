//! The published schemas of the `trae` dialect equal its reference.

use serde_json::{Map, Value};
use toolpost_test_rows::each;
use toolpost_tool::published;

/// Limits and choices that the reference states only in prose, and that the published schemas state as data.
/// The test adds them to the schemas of the reference.
const STATED: [(&str, &str, &str, &str); 4] = [
    ("view_files", "/properties/files", "maxItems", "10"),
    ("list_dir", "/properties/max_depth", "maximum", "5"),
    ("run_command", "/properties/command_type", "enum", SORTS),
    ("check_command_status", "/properties/output_priority", "enum", r#"["top", "bottom", "split"]"#),
];
const SORTS: &str = r#"["web_server", "long_running_process", "short_running_process", "other"]"#;

fn shapes() -> Map<String, Value> {
    let tools = toolpost_dialects::trae::DIALECT.tools.iter();
    let shape = |schema: Value| without_descriptions(published(&schema));
    tools.map(|tool| (tool.name.to_owned(), shape((tool.schema)()))).collect()
}

fn without_descriptions(schema: Value) -> Value {
    match schema {
        Value::Object(object) => {
            let kept = object.into_iter().filter(|(key, value)| key != "description" || !value.is_string());
            Value::Object(kept.map(|(key, value)| (key, without_descriptions(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(without_descriptions).collect()),
        other => other,
    }
}

#[test]
fn published_schemas_equal_the_reference() {
    let fixture = std::fs::read_to_string("tests/fixtures/trae_schemas.json").unwrap();
    let mut wanted: Map<String, Value> = serde_json::from_str(&fixture).unwrap();
    each(STATED, |(tool, place, key, limit)| {
        let property = wanted[tool].pointer_mut(place).unwrap().as_object_mut().unwrap();
        assert_eq!(
            property.insert(key.to_owned(), serde_json::from_str(limit).unwrap()),
            None,
            "{tool}: the schema of the reference already has {key}"
        );
    });
    let published = shapes();
    assert!(published.len() >= 7, "tools are missing: {:?}", published.keys());
    for (tool, schema) in published {
        assert_eq!(schema, wanted[&tool], "{tool}");
    }
}
