//! Values that scripts keep for later scripts of the same session: JSON by name.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

/// Maximum size of all names and values, in bytes.
const BYTES: usize = 1024 * 1024;
/// Maximum number of names.
const NAMES: usize = 1_000;

/// Values by name.
#[derive(Debug, Default)]
pub(crate) struct Store(Mutex<BTreeMap<String, String>>);

impl Store {
    /// Stores a value.
    ///
    /// # Errors
    /// A sentence with the limit, if the value would exceed it.
    pub(crate) fn set(&self, name: &str, value: &str) -> Result<(), String> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        put(&mut kept, name, value.to_owned())
    }

    /// Returns a value.
    #[must_use]
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Appends a value to the list of a name; without a list, starts one.
    ///
    /// # Errors
    /// As `set`; also if the value of the name is not a list.
    pub(crate) fn append(&self, name: &str, value: &str) -> Result<(), String> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let list = match kept.get(name).map(|list| list.trim()) {
            None | Some("[]") => format!("[{value}]"),
            Some(list) => {
                let inside = list.strip_suffix(']').filter(|_| list.starts_with('['));
                let inside = inside.ok_or_else(|| format!("{name} has a value that is no list."))?;
                format!("{inside},{value}]")
            }
        };
        put(&mut kept, name, list)
    }

    /// Returns the names, in order.
    #[must_use]
    pub(crate) fn keys(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }
}

fn put(kept: &mut BTreeMap<String, String>, name: &str, value: String) -> Result<(), String> {
    let others = kept.iter().filter(|(other, _)| *other != name);
    let bytes: usize = others.map(|(name, value)| name.len() + value.len()).sum();
    if bytes + name.len() + value.len() > BYTES {
        return Err(format!(
            "{name} was not kept: a session keeps {BYTES} bytes, and {bytes} are in use; keep less, or set what is not needed to null."
        ));
    }
    if value == "null" {
        kept.remove(name);
        return Ok(());
    }
    if kept.len() >= NAMES && !kept.contains_key(name) {
        return Err(format!(
            "{name} was not kept: a session keeps {NAMES} names; set one that is not needed to null."
        ));
    }
    kept.insert(name.to_owned(), value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_kept_within_bounds() {
        let store = Store::default();
        assert_eq!(store.get("a"), None);
        store.set("a", "{\"x\":1}").unwrap();
        store.append("list", "1").unwrap();
        store.append("list", "\"]\"").unwrap();
        assert_eq!(store.append("a", "1"), Err("a has a value that is no list.".to_owned()));
        assert_eq!(
            (store.get("list").as_deref(), store.keys()),
            (Some("[1,\"]\"]"), vec!["a".to_owned(), "list".to_owned()])
        );
        let much = "1".repeat(BYTES);
        assert!(store.set("b", &much).unwrap_err().starts_with("b was not kept"));
        store.set("a", "null").unwrap();
        assert_eq!(store.keys(), ["list"]);
        for at in 1..NAMES {
            store.set(&at.to_string(), "1").unwrap();
        }
        assert!(store.set("more", "1").unwrap_err().contains("1000 names"));
    }
}
