//! Matching of argument keys to property names.

use serde_json::{Map, Value};
use toolpost_text::names::distance;

/// Finds the property with a key as its name or alias. A key of more than two letters and digits is also found in any
/// letter case and with other punctuation. `None` if there is none.
pub(crate) fn property<'a>(key: &str, properties: &'a Map<String, Value>) -> Option<&'a str> {
    if let Some((name, _)) = properties.get_key_value(key) {
        return Some(name);
    }
    let by_alias = |wanted: &dyn Fn(&str) -> bool| {
        properties.iter().find(|(name, schema)| wanted(name) || aliases(schema).any(wanted))
    };
    let plain = plain(key);
    by_alias(&|name| name == key)
        .or_else(|| by_alias(&|name| plain.len() > 2 && self::plain(name) == plain))
        .map(|(name, _)| name.as_str())
}

/// Returns the aliases of a property.
pub(crate) fn aliases(schema: &Value) -> impl Iterator<Item = &str> {
    schema.get("x-aliases").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// Returns whether a key is similar enough to a name to mean it.
pub(crate) fn is_close(key: &str, name: &str) -> bool {
    let (key, plain) = (plain(key), plain(name));
    distance(&key, &plain) <= 1 + name.len() / 4 || key.contains(&plain) || plain.contains(&key)
}

/// Returns the published property whose name is nearest to a key, if one is near.
pub(crate) fn nearest<'a>(key: &str, properties: &'a Map<String, Value>) -> Option<&'a str> {
    let key = plain(key);
    let published = properties.iter().filter(|(_, schema)| schema.get("x-unlisted").is_none());
    let near = published.map(|(name, _)| (distance(&key, &plain(name)), name));
    let near = near.filter(|(away, name)| *away <= name.len() / 4 + 1 && *away < name.len());
    near.min().map(|(_, name)| name.as_str())
}

fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}
