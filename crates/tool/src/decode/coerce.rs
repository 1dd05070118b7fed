//! Conversion of one argument to the type in its schema, if the value is unambiguous.

use serde_json::{Map, Number, Value, json};
use toolpost_engine::Failure;

/// Returns the arguments of a call as an object. They can also be a string with the JSON of an object, which may
/// follow a stray `{}`. Null, or a string without text, is an empty object.
pub(super) fn whole(arguments: Value) -> Result<Map<String, Value>, Failure> {
    match arguments {
        Value::Object(object) => Ok(object),
        Value::Null => Ok(Map::new()),
        Value::String(text) => {
            let body = text.trim();
            let body =
                body.strip_prefix("{}").map(str::trim).filter(|rest| rest.starts_with('{')).unwrap_or(body);
            if body.is_empty() {
                return Ok(Map::new());
            }
            serde_json::from_str(body).map_err(|error| {
                Failure::invalid(format!("The arguments are a string that is not a JSON object: {error}."))
            })
        }
        other => {
            Err(Failure::invalid(format!("The arguments must be a JSON object, got {}.", short(&other))))
        }
    }
}

/// Converts a value to the type in its schema.
pub(super) fn value(
    name: &str,
    value: Value,
    schema: &Value,
    notes: &mut Vec<String>,
) -> Result<Value, String> {
    let wrong = |value: &Value| {
        let example = example(name, schema);
        format!("{name} must be {}, got {}; for example {example}.", expected(schema), short(value))
    };
    if schema.get("x-any").and_then(Value::as_bool) == Some(true) {
        return Ok(value);
    }
    match kind(schema) {
        "integer" => integer(&value)
            .ok_or_else(|| wrong(&value))
            .and_then(|number| in_range(name, number.into(), schema, notes)),
        "number" => number(&value)
            .ok_or_else(|| wrong(&value))
            .and_then(|number| in_range(name, number, schema, notes)),
        "boolean" => boolean(&value).ok_or_else(|| wrong(&value)),
        "string" => string(name, value, schema, notes).map_err(|value| wrong(&value)),
        "array" => {
            array(name, value, schema, notes).map_err(|inner| inner.unwrap_or_else(|value| wrong(&value)))
        }
        "object" => {
            object(name, value, schema, notes).map_err(|inner| inner.unwrap_or_else(|value| wrong(&value)))
        }
        _ => Ok(value),
    }
}

/// Describes the type in a schema.
pub(super) fn expected(schema: &Value) -> String {
    if let Some(values) = values(schema) {
        let names: Vec<String> =
            values.iter().filter(|value| !value.is_null()).map(Value::to_string).collect();
        return format!("one of {}", names.join(", "));
    }
    match kind(schema) {
        "integer" => "a whole number".to_owned(),
        "number" => "a number".to_owned(),
        "boolean" => "true or false".to_owned(),
        "string" => "a string".to_owned(),
        "array" => "an array".to_owned(),
        "object" => "an object".to_owned(),
        _ => "a value".to_owned(),
    }
}

/// Returns the values that a schema allows, if it lists them.
fn values(schema: &Value) -> Option<&Vec<Value>> {
    schema.get("enum").or_else(|| schema.get("x-enum")).and_then(Value::as_array)
}

/// Returns the raw JSON of a call with an example of the argument. `name` can refer to a part of an argument,
/// as in `files[0].path`.
pub(super) fn example(name: &str, schema: &Value) -> String {
    let parts: Vec<&str> = name.split(['.', '[']).collect();
    let whole = parts.iter().rev().fold(example_value(schema, 0), |value, part| match part.ends_with(']') {
        true => json!([value]),
        false => json!({ *part: value }),
    });
    whole.to_string()
}

/// Maximum depth of the nested objects in an example of an argument.
const LEVELS: usize = 3;

fn example_value(schema: &Value, level: usize) -> Value {
    let given =
        schema.get("examples").and_then(Value::as_array).and_then(|examples| examples.first()).cloned();
    let first = || values(schema).and_then(|values| values.first()).cloned();
    given.or_else(first).unwrap_or_else(|| match kind(schema) {
        "integer" | "number" => json!(10),
        "boolean" => json!(true),
        "array" => json!([]),
        "object" if level < LEVELS => {
            let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            let filled = required.filter_map(Value::as_str).filter_map(|name| {
                let property = schema.get("properties")?.get(name)?;
                Some((name.to_owned(), example_value(property, level + 1)))
            });
            Value::Object(filled.collect())
        }
        "object" => json!({}),
        _ => json!("text"),
    })
}

/// Formats a value, shortened to 60 characters.
pub(super) fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn kind(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(name)) => name,
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).find(|name| *name != "null").unwrap_or("")
        }
        _ => match schema.get("anyOf").and_then(Value::as_array) {
            Some(choices) => choices.iter().map(kind).find(|name| *name != "null").unwrap_or(""),
            None if schema.get("enum").is_some() => "string",
            None => "",
        },
    }
}

fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| whole_float(number.as_f64()?)),
        Value::String(text) => {
            let text = text.trim();
            let digits = text.strip_prefix('+').unwrap_or(text);
            digits.parse().ok().or_else(|| whole_float(digits.parse().ok()?))
        }
        _ => None,
    }
}

/// Converts a float that is a whole number; a number beyond the range of `i64` becomes its nearest bound. Returns
/// `None` for other floats.
#[expect(clippy::cast_possible_truncation, reason = "the value is whole, and the cast saturates")]
fn whole_float(number: f64) -> Option<i64> {
    (number.is_finite() && number.fract() == 0.0).then_some(number as i64)
}

fn number(value: &Value) -> Option<Number> {
    match value {
        Value::Number(number) => Some(number.clone()),
        Value::String(text) => {
            let text = text.trim();
            let digits = text.strip_prefix('+').unwrap_or(text);
            let whole = digits.parse::<i64>().ok().map(Number::from);
            whole.or_else(|| digits.parse().ok().and_then(Number::from_f64))
        }
        _ => None,
    }
}

fn boolean(value: &Value) -> Option<Value> {
    match value {
        Value::Bool(_) => Some(value.clone()),
        Value::String(text) if text.trim().eq_ignore_ascii_case("true") => Some(Value::Bool(true)),
        Value::String(text) if text.trim().eq_ignore_ascii_case("false") => Some(Value::Bool(false)),
        _ => None,
    }
}

/// Converts a value to a string. Strings are never parsed; a bare number becomes its text, with a note. The letter case
/// of an `enum` keyword is ignored.
fn string(name: &str, value: Value, schema: &Value, notes: &mut Vec<String>) -> Result<Value, Value> {
    let text = match value {
        Value::String(text) => text,
        Value::Number(number) => {
            notes.push(format!("{name} was the number {number} and was used as text"));
            number.to_string()
        }
        other => return Err(other),
    };
    let Some(values) = schema.get("enum").and_then(Value::as_array) else { return Ok(Value::String(text)) };
    let fits = |value: &&Value| value.as_str().is_some_and(|value| value.eq_ignore_ascii_case(text.trim()));
    values.iter().find(fits).cloned().ok_or(Value::String(text))
}

/// Error of a conversion: a complete message (`Ok`), or the value that does not fit its schema (`Err`).
type CoercionError = Result<String, Value>;

fn array(name: &str, value: Value, schema: &Value, notes: &mut Vec<String>) -> Result<Value, CoercionError> {
    let items = match value {
        Value::Array(items) => items,
        Value::String(text) => match serde_json::from_str(text.trim()) {
            Ok(Value::Array(items)) => items,
            // The text has several arguments of a program. Only the caller knows where each one ends, so the text is
            // refused and not split.
            _ if is_of_words(schema) && text.contains(char::is_whitespace) => {
                let quoted = text.contains(['"', '\'', '\\']);
                let split = json!({ name: text.split_whitespace().collect::<Vec<_>>() }).to_string();
                let example = if quoted { example(name, schema) } else { split };
                let got = short(&Value::String(text));
                return Err(Ok(format!(
                    "{name} must be an array with one element for each argument, got {got}; for example {example}."
                )));
            }
            _ => vec![Value::String(text)],
        },
        other => vec![other],
    };
    let Some(each) = schema.get("items") else { return Ok(Value::Array(items)) };
    let decode = |(at, item)| self::value(&format!("{name}[{at}]"), item, each, notes);
    items.into_iter().enumerate().map(decode).collect::<Result<_, _>>().map(Value::Array).map_err(Ok)
}

/// Returns whether the elements of an array are the arguments of a program.
fn is_of_words(schema: &Value) -> bool {
    schema.get("x-words").and_then(Value::as_bool) == Some(true)
}

fn object(name: &str, value: Value, schema: &Value, notes: &mut Vec<String>) -> Result<Value, CoercionError> {
    let value = match value {
        Value::Object(_) => value,
        Value::String(text) => match serde_json::from_str(text.trim()) {
            Ok(object @ Value::Object(_)) => object,
            _ => return Err(Err(Value::String(text))),
        },
        other => return Err(Err(other)),
    };
    let decoded =
        super::decode(value, schema).map_err(|failure| Ok(format!("In {name}: {}", failure.what)))?;
    notes.extend(decoded.notes);
    Ok(Value::Object(decoded.arguments))
}

/// Applies the bounds of a schema to a number. A number above the maximum is lowered, with a note. A number below
/// the minimum is refused, or raised if the schema allows that.
fn in_range(name: &str, number: Number, schema: &Value, notes: &mut Vec<String>) -> Result<Value, String> {
    let bound =
        |key: &str| schema.get(key).and_then(Value::as_number).filter(|bound| bound.as_f64().is_some());
    let differs = |bound: &Number, by: fn(&f64, &f64) -> bool| {
        number.as_f64().zip(bound.as_f64()).is_some_and(|(number, bound)| by(&number, &bound))
    };
    if let Some(least) = bound("minimum").filter(|least| differs(least, f64::lt)) {
        if schema.get("x-raise").and_then(Value::as_bool) == Some(true) {
            notes.push(format!("{name} was {number} and was raised to {least}, the minimum"));
            return Ok(Value::Number(least.clone()));
        }
        return Err(format!(
            "{name} must be at least {least}, got {number}; for example {}.",
            example(name, schema)
        ));
    }
    if let Some(least) = bound("exclusiveMinimum").filter(|least| differs(least, f64::le)) {
        return Err(format!(
            "{name} must be greater than {least}, got {number}; for example {}.",
            example(name, schema)
        ));
    }
    if let Some(most) = bound("maximum").filter(|most| differs(most, f64::gt)) {
        notes.push(format!("{name} was {number} and was lowered to {most}, the maximum"));
        return Ok(Value::Number(most.clone()));
    }
    Ok(Value::Number(number))
}
