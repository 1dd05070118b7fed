//! Settings: their values, each with its origin, from one table.

mod form;
mod parse;
pub mod reference;
mod sources;
pub mod table;
pub mod values;

pub use form::Shape;
#[cfg(test)]
pub(crate) use parse::PROVIDERS;
pub use parse::{NO_AGENT, ParseResult};
pub use sources::{Flags, Origin, Setting, Sources};
pub use table::Settings;

use crate::Error;
use std::time::Duration;
use table::{DAY, MB};
use toolpost_engine::{Access, Resources};
use toolpost_workspace::HistoryLimits;
use values::{Deny, OnOff};

impl Settings {
    /// Reads the settings of a user: flags, environment variables, the configuration file and the defaults.
    ///
    /// # Errors
    /// [`Error::Setting`] if the file cannot be read, or a value is invalid; the message names its source.
    pub fn of_user(flags: Flags) -> Result<Self, Error> {
        Self::from_sources(&Sources::of_user(flags)?)
    }

    /// Returns the denied kinds of access.
    #[must_use]
    pub fn denied(&self) -> Vec<Access> {
        let mut denied: Vec<Access> = self.deny.value.iter().map(|deny| deny.access()).collect();
        if self.read_only.value == OnOff::On || self.deny.value.contains(&Deny::Write) {
            // Upstream tools may write, so they are denied as well.
            denied.extend([Access::Writes, Access::Bridges]);
            if self.sandbox.value == OnOff::Off {
                // Without a sandbox, a command may write, so commands are denied as well.
                denied.push(Access::Executes);
            }
        }
        denied
    }

    /// Returns the resource limits of a command.
    #[must_use]
    pub fn command_resources(&self) -> Resources {
        let limit = |setting: &Setting<u64>| Some(setting.value).filter(|value| *value > 0);
        let bytes = |setting: &Setting<u64>| limit(setting).map(|megabytes| megabytes.saturating_mul(MB));
        Resources {
            memory: bytes(&self.command_memory_mb),
            processes: limit(&self.command_processes),
            file_size: bytes(&self.command_file_mb),
            disk_reserve: bytes(&self.disk_reserve_mb),
        }
    }

    /// Returns the limits of the history.
    #[must_use]
    pub fn history_limits(&self) -> HistoryLimits {
        HistoryLimits {
            bytes: self.history_mb.value.saturating_mul(MB),
            age: Duration::from_secs(self.history_days.value.saturating_mul(DAY)),
        }
    }
}
