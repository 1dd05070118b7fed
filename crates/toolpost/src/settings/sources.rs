//! Sources of settings, in order of precedence.

use anyhow::{Context, Result, bail};
use std::{
    env::{self, VarError},
    fmt,
    path::PathBuf,
};
use toolpost_workspace::operator;

/// Origin of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Flag,
    /// Transcript of the run that is resumed.
    Transcript,
    Environment(String),
    File(PathBuf),
    Default,
}

impl Origin {
    /// Returns the precedence of an origin; the higher one wins.
    pub fn nearness(&self) -> u8 {
        match self {
            Self::Flag => 4,
            Self::Transcript => 3,
            Self::Environment(_) => 2,
            Self::File(_) => 1,
            Self::Default => 0,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag => out.write_str("flag"),
            Self::Transcript => out.write_str("transcript"),
            Self::Environment(name) => write!(out, "environment, {name}"),
            Self::File(path) => write!(out, "file, {}", path.display()),
            Self::Default => out.write_str("default"),
        }
    }
}

/// Value of a setting, with its origin.
#[derive(Debug, Clone)]
pub struct Setting<T> {
    pub value: T,
    pub origin: Origin,
}

impl<T> Setting<T> {
    /// Takes the value of a transcript, unless a flag sets it.
    pub fn resume(&mut self, value: T) {
        if self.origin != Origin::Flag {
            *self = Self { value, origin: Origin::Transcript };
        }
    }
}

/// Sources after the flags: the environment, and the configuration file.
pub struct Sources {
    pub file: PathBuf,
}

impl Sources {
    /// Returns a directory from the flag, Toolpost's environment variable or the file; otherwise from the XDG
    /// variable or its default below the home directory.
    pub(super) fn folder(
        &self,
        flag: Option<PathBuf>,
        (name, file): (&str, Option<PathBuf>),
        (variable, customary): (&str, &str),
    ) -> Result<Setting<Option<PathBuf>>> {
        let setting = self.optional(flag, name, |text| Ok(PathBuf::from(text)), file)?;
        if setting.value.is_some() {
            return Ok(setting);
        }
        Ok(Setting { value: operator::folder(variable, customary), origin: setting.origin })
    }

    /// Returns the value from the first source that has one, or else the default.
    pub fn choose<T>(
        &self,
        flag: Option<T>,
        name: &str,
        parse: impl Fn(&str) -> Result<T>,
        file: Option<T>,
        default: T,
    ) -> Result<Setting<T>> {
        let found = self.optional(flag, name, parse, file)?;
        Ok(Setting { value: found.value.unwrap_or(default), origin: found.origin })
    }

    /// Returns the value from the first source that has one.
    pub fn optional<T>(
        &self,
        flag: Option<T>,
        name: &str,
        parse: impl Fn(&str) -> Result<T>,
        file: Option<T>,
    ) -> Result<Setting<Option<T>>> {
        if flag.is_some() {
            return Ok(Setting { value: flag, origin: Origin::Flag });
        }
        let variable = format!("TOOLPOST_{name}");
        let text = match env::var(&variable) {
            Ok(text) => Some(text),
            Err(VarError::NotPresent) => None,
            // Ignoring it could, for example, drop the policy that it names.
            Err(VarError::NotUnicode(_)) => bail!("{variable} is not UTF-8"),
        };
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            let value = parse(&text).with_context(|| format!("{variable} is `{text}`"))?;
            return Ok(Setting { value: Some(value), origin: Origin::Environment(variable) });
        }
        let origin = if file.is_some() { Origin::File(self.file.clone()) } else { Origin::Default };
        Ok(Setting { value: file, origin })
    }
}
