//! Decoding of arguments: accepts the variants that models really send, if the schema makes their meaning
//! unambiguous.

mod coerce;

use crate::names;
use serde_json::{Map, Value};
use toolpost_engine::Failure;

/// Maximum number of unknown arguments that a note names.
const UNKNOWN: usize = 10;
/// The beginning of a note that names unknown arguments.
const IGNORED: &str = "ignored unknown argument";

/// Arguments that conform to the schema, under the names in the schema.
#[derive(Debug, Clone, PartialEq)]
pub struct DecodedArguments {
    /// The converted arguments, by their names in the schema.
    pub arguments: Map<String, Value>,
    /// Notes about changed arguments, and one note that names the unknown ones; each is a clause.
    pub notes: Vec<String>,
}

impl DecodedArguments {
    /// Returns the notes about unknown arguments, without the word "ignored", for a caller that refuses such arguments.
    #[must_use]
    pub fn unknown(&self) -> Vec<&str> {
        let unknown = self.notes.iter().filter(|note| note.starts_with(IGNORED));
        unknown.filter_map(|note| note.split_once(' ').map(|(_, rest)| rest)).collect()
    }
}

/// Converts arguments to the names and types in a schema.
///
/// # Errors
/// A failure of kind `Invalid` that names every wrong argument (with the expected type, the value and an example), or
/// that reports that the arguments are not an object.
pub fn decode(arguments: Value, schema: &Value) -> Result<DecodedArguments, Failure> {
    let empty = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let mut object = coerce::whole(arguments)?;
    let mut notes = Vec::new();
    let others = if is_open(schema) { Others::Kept } else { Others::Named };
    let (named, unknown) = settle_names(&mut object, properties, others, &mut notes);
    let (decoded, mut wrong) = coerce_all(named, properties, &mut notes);
    wrong.extend(missing(&decoded, schema, properties, &unknown, &wrong));
    if !wrong.is_empty() {
        let given =
            if unknown.is_empty() { String::new() } else { format!(" Unknown: {}.", unknown.join(", ")) };
        return Err(Failure::invalid(format!(
            "{}{given}",
            wrong.iter().map(|wrong| wrong.says.as_str()).collect::<Vec<_>>().join(" ")
        )));
    }
    if !unknown.is_empty() {
        let named = unknown.iter().map(|key| match names::nearest(key, properties) {
            Some(near) => format!("{key} (did you mean `{near}`?)"),
            None => key.clone(),
        });
        notes.push(format!(
            "{IGNORED}{}: {}",
            if unknown.len() == 1 { "" } else { "s" },
            named.collect::<Vec<_>>().join(", ")
        ));
    }
    Ok(DecodedArguments { arguments: decoded, notes })
}

struct ArgumentFault {
    name: String,
    says: String,
}

/// Handling of arguments that the schema does not name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Others {
    /// The arguments are kept unchanged.
    Kept,
    /// The arguments are reported as unknown.
    Named,
}

/// Returns whether a schema accepts any additional argument.
fn is_open(schema: &Value) -> bool {
    schema.get("additionalProperties").is_some_and(|others| *others != Value::Bool(false))
}

/// Renames the arguments to their names in the schema, and drops meaningless nulls. Also returns the unknown
/// arguments, at most `UNKNOWN` of them, unless `others` keeps unknown arguments. An exact name takes precedence over
/// an alias. No other code resolves aliases.
fn settle_names(
    object: &mut Map<String, Value>,
    properties: &Map<String, Value>,
    others: Others,
    notes: &mut Vec<String>,
) -> (Map<String, Value>, Vec<String>) {
    let mut named = Map::new();
    let mut unknown = Vec::new();
    let given = std::mem::take(object);
    let (exact, rest): (Vec<_>, Vec<_>) =
        given.into_iter().partition(|(key, _)| properties.contains_key(key));
    named.extend(exact.into_iter().filter(|(name, value)| !value.is_null() || means_null(&properties[name])));
    for (key, value) in rest {
        let Some(name) = names::property(&key, properties) else {
            if others == Others::Kept {
                named.insert(key, value);
                continue;
            }
            unknown.push(coerce::short(&Value::String(key)));
            unknown.truncate(UNKNOWN);
            continue;
        };
        if value.is_null() && !means_null(&properties[name]) {
            continue;
        }
        match named.get(name) {
            None => drop(named.insert(name.to_owned(), value)),
            Some(first) if *first == value => {}
            Some(_) => notes.push(format!("both {name} and {key} were given; {name} was used")),
        }
    }
    (named, unknown)
}

/// Returns whether null is a meaningful value of an argument, different from leaving it out.
fn means_null(property: &Value) -> bool {
    property.get("x-null").and_then(Value::as_bool) == Some(true)
}

fn coerce_all(
    named: Map<String, Value>,
    properties: &Map<String, Value>,
    notes: &mut Vec<String>,
) -> (Map<String, Value>, Vec<ArgumentFault>) {
    let mut decoded = Map::new();
    let mut wrong = Vec::new();
    for (name, value) in named {
        let Some(schema) = properties.get(&name) else {
            decoded.insert(name, value);
            continue;
        };
        if value.is_null() && means_null(schema) {
            decoded.insert(name, value);
            continue;
        }
        match coerce::value(&name, value, schema, notes) {
            Ok(value) => drop(decoded.insert(name, value)),
            Err(says) => wrong.push(ArgumentFault { name, says }),
        }
    }
    (decoded, wrong)
}

fn missing(
    decoded: &Map<String, Value>,
    schema: &Value,
    properties: &Map<String, Value>,
    unknown: &[String],
    wrong: &[ArgumentFault],
) -> Vec<ArgumentFault> {
    let required =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    required
        .filter(|name| !decoded.contains_key(*name) && !wrong.iter().any(|wrong| wrong.name == *name))
        .map(|name| {
            let property = &properties[name];
            let meant = unknown.iter().find(|key| names::is_close(key, name));
            let meant = meant.map_or(String::new(), |key| format!(" (misspelled as {key}?)"));
            let says = format!(
                "{name} is missing{meant}: it takes {}, for example {}.",
                coerce::expected(property),
                coerce::example(name, property)
            );
            ArgumentFault { name: name.to_owned(), says }
        })
        .collect()
}
