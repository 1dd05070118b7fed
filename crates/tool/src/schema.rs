//! Schemas of arguments and outputs, generated from Rust types.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value};

/// Keys of a schema that only the decoding of arguments uses; they are never published.
const PRIVATE: [&str; 10] = [
    "x-aliases",
    "x-unlisted",
    "x-required",
    "x-raise",
    "x-format",
    "x-null",
    "x-enum",
    "x-any",
    "x-words",
    "examples",
];
/// Keys that are removed from a published schema, because they tell a model nothing. A default other than null is added
/// again.
const NOISE: [&str; 4] = ["$schema", "title", "format", "default"];
/// Keys that are removed from the schema of a structured output, because they tell a program nothing.
const WORDS: [&str; 6] = ["$schema", "title", "description", "format", "default", "examples"];

/// Generates the whole schema of a type: plain objects without references, with aliases and unlisted
/// properties.
#[must_use]
pub fn full<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// Generates the schema of a structured output. Every reply satisfies it, because it describes the serialized form:
/// for example, a field that is serialized as null allows null. It has no descriptions, because only programs read
/// it.
#[must_use]
pub(crate) fn output<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.inline_subschemas = true;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    strip(&mut schema);
    schema
}

/// Removes keys that do not restrict a value, or only repeat a restriction of its type.
fn strip(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    object.retain(|key, _| !key.starts_with("x-") && !WORDS.contains(&key.as_str()));
    if object.get("minimum").and_then(Value::as_f64) == Some(0.0) {
        object.remove("minimum");
    }
    for key in ["properties", "patternProperties"] {
        if let Some(Value::Object(properties)) = object.get_mut(key) {
            properties.values_mut().for_each(strip);
        }
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = object.get_mut(key) {
            strip(inner);
        }
    }
    for key in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        if let Some(Value::Array(choices)) = object.get_mut(key) {
            choices.iter_mut().for_each(strip);
        }
    }
    if let Some(values) = object.get("oneOf").and_then(words) {
        object.remove("oneOf");
        object.insert("enum".to_owned(), values);
    }
}

/// Returns the strings of a `oneOf` whose choices are all constant strings; `None` if a choice is anything
/// else.
fn words(choices: &Value) -> Option<Value> {
    let each = choices.as_array()?.iter().map(|choice| match (choice.get("const"), choice.get("enum")) {
        (Some(word @ Value::String(_)), None) => Some(vec![word.clone()]),
        (None, Some(Value::Array(words))) if words.iter().all(Value::is_string) => Some(words.clone()),
        _ => None,
    });
    each.collect::<Option<Vec<_>>>().map(|words| Value::Array(words.concat()))
}

/// Derives the published schema from a whole one.
#[must_use]
pub fn published(full: &Value) -> Value {
    let mut schema = full.clone();
    if let Some(root) = schema.as_object_mut() {
        root.remove("description");
    }
    tidy(&mut schema);
    schema
}

/// Removes the descriptions of all parameters from a published schema.
pub(crate) fn drop_descriptions(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    object.remove("description");
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        properties.values_mut().for_each(drop_descriptions);
    }
    if let Some(items) = object.get_mut("items") {
        drop_descriptions(items);
    }
}

fn tidy(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    // `true` is the default of `additionalProperties`, so it is left out.
    if object.get("additionalProperties") == Some(&Value::Bool(true)) {
        object.remove("additionalProperties");
    }
    let default = object.get("default").filter(|value| !value.is_null()).cloned();
    let moved = [("x-format", "format"), ("x-enum", "enum")];
    let moved = moved.map(|(from, to)| object.get(from).cloned().map(|value| (to.to_owned(), value)));
    let means_null = object.get("x-null").is_some();
    for key in PRIVATE.iter().chain(&NOISE) {
        object.remove(*key);
    }
    if let Some(default) = default {
        object.insert("default".to_owned(), default);
    }
    object.extend(moved.into_iter().flatten());
    if !means_null {
        without_null(object);
    }
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        let full = std::mem::take(properties);
        *properties = full.into_iter().filter(|(_, property)| is_listed(property)).collect();
        let asked = properties.iter().filter(|(_, property)| is_asked(property));
        let asked: Vec<Value> = asked.map(|(name, _)| Value::from(name.as_str())).collect();
        properties.values_mut().for_each(tidy);
        if !asked.is_empty()
            && let Value::Array(required) =
                object.entry("required").or_insert_with(|| Value::Array(Vec::new()))
        {
            required.extend(asked);
        }
    }
    if let Some(items) = object.get_mut("items") {
        tidy(items);
    }
}

/// Returns whether a property is published.
#[must_use]
pub(crate) fn is_listed(property: &Value) -> bool {
    property.get("x-unlisted").and_then(Value::as_bool) != Some(true)
}

/// Returns whether a property is published as required although a call can leave it out.
fn is_asked(property: &Value) -> bool {
    property.get("x-required").and_then(Value::as_bool) == Some(true)
}

/// Removes null from the published schema of an optional argument: it can be left out, and null is accepted
/// without being advertised.
fn without_null(object: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    let Some(Value::Array(mut choices)) = object.remove("anyOf") else { return };
    choices.retain(|choice| choice.get("type").and_then(Value::as_str) != Some("null"));
    if let [Value::Object(only)] = choices.as_mut_slice() {
        for (key, value) in std::mem::take(only) {
            object.entry(key).or_insert(value);
        }
    } else {
        object.insert("anyOf".to_owned(), Value::Array(choices));
    }
}
