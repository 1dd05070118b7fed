//! Where a setting is looked for, one place after the other.

use anyhow::{Context, Result, bail};
use std::{
    env::{self, VarError},
    fmt,
    path::PathBuf,
};
use toolpost_workspace::operator;

/// Where a setting came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    Flag,
    /// The transcript of the work that goes on.
    Transcript,
    Environment(String),
    File(PathBuf),
    Default,
}

impl Origin {
    /// Says how near a place is to the command: of two, the nearer one counts.
    pub(crate) fn nearness(&self) -> u8 {
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

/// A value, and where it came from.
#[derive(Debug, Clone)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) origin: Origin,
}

impl<T> Setting<T> {
    /// Takes the value of a transcript, unless a flag says otherwise.
    pub(crate) fn resume(&mut self, value: T) {
        if self.origin != Origin::Flag {
            *self = Self { value, origin: Origin::Transcript };
        }
    }
}

/// Where settings are looked for behind the flags: the environment, and a file that was read.
pub(crate) struct Sources {
    pub(crate) file: PathBuf,
}

impl Sources {
    /// Finds a folder, or the customary one: the variable of the environment and the key in the file, then the variable of the system
    /// and the place in the home directory.
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

    /// Chooses a value, or the default.
    pub(crate) fn choose<T>(
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

    /// Chooses a value where there is one.
    pub(crate) fn optional<T>(
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
            // Passing over it would drop, for example, the rules that it names.
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
