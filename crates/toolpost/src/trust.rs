//! Trusted project files, recorded by path and content digest.

use crate::{
    error::{Error, Explain, Kind},
    settings::Settings,
};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};
use toolpost_workspace::{hash, operator};

/// Trusted files, each with the digest of its trusted content.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustStore {
    #[serde(default)]
    trusted: BTreeMap<String, String>,
}

impl TrustStore {
    /// Reads the record of trusted files from the state directory; empty if the settings name no directory.
    pub(crate) fn of(settings: &Settings) -> Result<Self, Error> {
        Ok(settings.state.value.as_deref().map(Self::read).transpose()?.unwrap_or_default())
    }

    /// Reads the record of trusted files from the state directory.
    ///
    /// # Errors
    /// [`Error::Trust`] if it cannot be read, or is damaged.
    pub fn read(state: &Path) -> Result<Self, Error> {
        let place = place(state);
        let text = operator::read(&place)
            .explain_with(Error::Trust, || format!("{} cannot be read", place.display()))?;
        let Some(text) = text else { return Ok(Self::default()) };
        serde_json::from_str(&text).explain_with(Error::Trust, || {
            format!("{} is damaged; delete it, and trust the projects' rules again", place.display())
        })
    }

    /// Returns whether this content of the file is trusted.
    #[must_use]
    pub fn holds(&self, file: &str, text: &str) -> bool {
        self.trusted.get(file).is_some_and(|known| *known == digest(text))
    }

    /// Records this content of the file as trusted.
    pub fn add(&mut self, file: &str, text: &str) {
        self.trusted.insert(file.to_owned(), digest(text));
    }

    /// Returns whether the file was trusted with other content, so that it has changed since.
    #[must_use]
    pub fn has_changed(&self, file: &str, text: &str) -> bool {
        self.trusted.get(file).is_some_and(|known| *known != digest(text))
    }

    /// Revokes the trust in a file; returns whether it was trusted.
    pub fn forget(&mut self, file: &str) -> bool {
        self.trusted.remove(file).is_some()
    }

    /// Writes the record of trusted files to the state directory.
    ///
    /// # Errors
    /// [`Error::Trust`] if it cannot be written.
    pub fn write(&self, state: &Path) -> Result<(), Error> {
        let place = place(state);
        let text = serde_json::to_string_pretty(self).kind(Error::Trust)?;
        operator::replace(&place, &text)
            .explain_with(Error::Trust, || format!("{} cannot be written", place.display()))
    }
}

/// Returns the digest of a file's content.
#[must_use]
pub fn digest(text: &str) -> String {
    hash(text.as_bytes()).to_string()
}

fn place(state: &Path) -> PathBuf {
    state.join("trusted.json")
}
