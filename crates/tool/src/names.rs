//! Which argument a key means.

use serde_json::{Map, Value};

/// Finds the property that a key means: its name, an alias, or either in another letter case.
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

/// Gives the other names of a property.
pub(crate) fn aliases(schema: &Value) -> impl Iterator<Item = &str> {
    schema.get("x-aliases").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// Finds the name that is close enough to a key to be what was meant.
pub(crate) fn close_to<'a>(key: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let key = plain(key);
    names
        .map(|name| (strsim(&key, &plain(name)), name))
        .filter(|(distance, name)| {
            *distance <= 1 + name.len() / 4 || key.contains(&plain(name)) || plain(name).contains(&key)
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

/// The edit distance of two short names.
fn strsim(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (line, letter) in left.chars().enumerate() {
        let mut corner = row[0];
        row[0] = line + 1;
        for (column, other) in right.iter().enumerate() {
            let changed = corner + usize::from(letter != *other);
            corner = row[column + 1];
            row[column + 1] = changed.min(corner + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}
