//! What scripts keep for later ones of the same session: values by name, as JSON.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

/// How many bytes all names and values have at most.
const BYTES: usize = 1024 * 1024;
/// How many names there are at most.
const NAMES: usize = 1_000;

/// Values by name.
#[derive(Debug, Default)]
pub(crate) struct Store(Mutex<BTreeMap<String, String>>);

impl Store {
    /// Keeps a value.
    ///
    /// # Errors
    /// Says how much there may be, where it would be more.
    pub(crate) fn set(&self, name: &str, value: &str) -> Result<(), String> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        put(&mut kept, name, value.to_owned())
    }

    /// Gives a value.
    #[must_use]
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Puts a value at the end of the list that a name has; where it has none, one begins.
    ///
    /// # Errors
    /// As `set`; and where the name has something that is no list.
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

    /// Gives the names, in order.
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
