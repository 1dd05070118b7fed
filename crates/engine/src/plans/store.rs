//! Values that a script stores for later scripts of the same session: JSON by name.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

/// Maximum size of all names and values of a session together, in bytes.
const BYTES: usize = 1024 * 1024;
/// Maximum number of names in a session.
const NAMES: usize = 1_000;

/// The JSON values that the scripts of a session stored, by name.
#[derive(Debug, Default)]
pub(crate) struct Store(Mutex<BTreeMap<String, String>>);

impl Store {
    /// Stores a value under a name; the value `null` removes the name.
    ///
    /// # Errors
    /// A message with the limit, if the session's values would then exceed it.
    pub(crate) fn set(&self, name: &str, value: &str) -> Result<(), String> {
        let mut values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        put(&mut values, name, value.to_owned())
    }

    /// Returns the value that is stored under a name.
    #[must_use]
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Appends a value to the list that is stored under a name; creates the list if nothing is stored there.
    ///
    /// # Errors
    /// A message, if the value under the name is not a list, or if the session's values would then exceed the limit.
    pub(crate) fn append(&self, name: &str, value: &str) -> Result<(), String> {
        let mut values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let list = match values.get(name).map(|list| list.trim()) {
            None | Some("[]") => format!("[{value}]"),
            Some(list) => {
                let inside = list.strip_suffix(']').filter(|_| list.starts_with('['));
                let inside = inside.ok_or_else(|| {
                    format!("{name} has a value that is not a list, so nothing was appended.")
                })?;
                format!("{inside},{value}]")
            }
        };
        put(&mut values, name, list)
    }

    /// Returns the names of the stored values, in order.
    #[must_use]
    pub(crate) fn keys(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }
}

fn put(values: &mut BTreeMap<String, String>, name: &str, value: String) -> Result<(), String> {
    let others = values.iter().filter(|(other, _)| *other != name);
    let bytes: usize = others.map(|(name, value)| name.len() + value.len()).sum();
    if bytes + name.len() + value.len() > BYTES {
        return Err(format!(
            "{name} was not stored: a session stores at most {BYTES} bytes, and {bytes} are in use. Store less, or set \
             unneeded names to null."
        ));
    }
    if value == "null" {
        values.remove(name);
        return Ok(());
    }
    if values.len() >= NAMES && !values.contains_key(name) {
        return Err(format!(
            "{name} was not stored: a session stores at most {NAMES} names. Set an unneeded name to null."
        ));
    }
    values.insert(name.to_owned(), value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_values_are_limited_in_size_and_number() {
        let store = Store::default();
        assert_eq!(store.get("a"), None);
        store.set("a", "{\"x\":1}").unwrap();
        store.append("list", "1").unwrap();
        store.append("list", "\"]\"").unwrap();
        assert_eq!(
            store.append("a", "1"),
            Err("a has a value that is not a list, so nothing was appended.".to_owned())
        );
        assert_eq!(
            (store.get("list").as_deref(), store.keys()),
            (Some("[1,\"]\"]"), vec!["a".to_owned(), "list".to_owned()])
        );
        let much = "1".repeat(BYTES);
        assert!(store.set("b", &much).unwrap_err().starts_with("b was not stored"));
        store.set("a", "null").unwrap();
        assert_eq!(store.keys(), ["list"]);
        for at in 1..NAMES {
            store.set(&at.to_string(), "1").unwrap();
        }
        assert!(store.set("more", "1").unwrap_err().contains("1000 names"));
    }
}
