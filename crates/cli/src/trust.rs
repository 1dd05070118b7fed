//! Trusted project files, recorded by path and content digest.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};
use toolpost_workspace::{hash, operator};

/// Trusted files, each with the digest of its trusted content.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trusted {
    #[serde(default)]
    trusted: BTreeMap<String, String>,
}

impl Trusted {
    /// Reads the record in the state directory.
    pub(crate) fn read(state: &Path) -> Result<Self> {
        let place = place(state);
        let text = operator::read(&place).with_context(|| format!("{} cannot be read", place.display()))?;
        let Some(text) = text else { return Ok(Self::default()) };
        serde_json::from_str(&text).with_context(|| {
            format!("{} is damaged; delete it, and trust the projects' rules again", place.display())
        })
    }

    /// Returns whether this content of the file is trusted.
    pub(crate) fn holds(&self, file: &str, text: &str) -> bool {
        self.trusted.get(file).is_some_and(|known| *known == digest(text))
    }

    /// Trusts this content of the file.
    pub(crate) fn add(&mut self, file: &str, text: &str) {
        self.trusted.insert(file.to_owned(), digest(text));
    }

    /// Returns whether another content of the file was trusted: it has changed since.
    pub(crate) fn lapsed(&self, file: &str, text: &str) -> bool {
        self.trusted.get(file).is_some_and(|known| *known != digest(text))
    }

    /// Revokes the trust in a file; returns whether it was trusted.
    pub(crate) fn forget(&mut self, file: &str) -> bool {
        self.trusted.remove(file).is_some()
    }

    /// Writes the record to the state directory.
    pub(crate) fn write(&self, state: &Path) -> Result<()> {
        let place = place(state);
        let text = serde_json::to_string_pretty(self)?;
        operator::replace(&place, &text).with_context(|| format!("{} cannot be written", place.display()))
    }
}

/// Returns the digest of a content.
pub(crate) fn digest(text: &str) -> String {
    hash(text.as_bytes()).to_string()
}

fn place(state: &Path) -> PathBuf {
    state.join("trusted.json")
}
