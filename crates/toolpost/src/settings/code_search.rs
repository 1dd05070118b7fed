//! Settings of code search outside the workspace: the external service.

use super::sources::{Setting, Sources};
use crate::settings::flags::CodeSearchFlags;
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::env;
use toolpost_engine::{Access, CodeService, PROVIDERS};

/// `[codesearch]` section of the configuration file.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub struct File {
    provider: Option<String>,
    base_url: Option<String>,
    key_env: Option<String>,
}

/// External code search service, if one is named.
pub struct CodeSearchSettings {
    provider: Setting<Option<String>>,
    base_url: Setting<Option<String>>,
    key_env: Setting<Option<String>>,
}

impl CodeSearchSettings {
    /// Reads the settings from flags, environment and file.
    pub fn find(flags: &CodeSearchFlags, from: &Sources, file: File) -> Result<Self> {
        let text = |text: &str| Ok(text.to_owned());
        Ok(Self {
            provider: from.optional(flags.codesearch.clone(), "CODESEARCH", text, file.provider)?,
            base_url: from.optional(flags.codesearch_url.clone(), "CODESEARCH_URL", text, file.base_url)?,
            key_env: from.optional(None, "CODESEARCH_KEY_ENV", text, file.key_env)?,
        })
    }

    /// Builds the client of the service; its key comes only from the environment.
    pub fn service(&self) -> Result<Option<CodeService>> {
        let Some(name) = &self.provider.value else {
            let said = [("base_url", &self.base_url), ("key_env", &self.key_env)];
            if let Some((name, _)) = said.into_iter().find(|(_, setting)| setting.value.is_some()) {
                bail!(
                    "`{name}` of [codesearch] is set without a service: set `provider`, or pass --codesearch NAME"
                );
            }
            return Ok(None);
        };
        let customary =
            PROVIDERS.iter().find(|provider| provider.name() == name).map(|provider| provider.variables());
        let key = match &self.key_env.value {
            Some(variable) => {
                let key = read(variable);
                Some(key.with_context(|| {
                    format!("codesearch: key_env names {variable}, which is not set in the environment")
                })?)
            }
            None => customary.unwrap_or_default().iter().find_map(|variable| read(variable)),
        };
        let service = CodeService::new(name, self.base_url.value.as_deref(), key);
        Ok(Some(service.context("codesearch")?))
    }

    /// Describes for `doctor` the service in use, or why there is none.
    pub fn report(&self, denied: &[Access]) -> String {
        match self.service() {
            Ok(None) => "no external service; only this machine is searched".to_owned(),
            Ok(Some(service)) if denied.contains(&Access::Fetches) => {
                format!("{} is disabled, because `deny` forbids fetching", service.name())
            }
            Ok(Some(service)) => match service.missing() {
                Some(missing) => missing,
                None => format!("{} at {}", service.name(), service.base()),
            },
            Err(error) => format!("{error:#}"),
        }
    }

    /// Lists the settings with their values and origins.
    pub fn in_force(&self) -> Vec<String> {
        let line = |name: &str, setting: &Setting<Option<String>>, without: &str| {
            format!(
                "codesearch.{name} = {} ({})",
                setting.value.as_deref().unwrap_or(without),
                setting.origin
            )
        };
        vec![
            line("provider", &self.provider, "none"),
            line("base_url", &self.base_url, "the service's default"),
            line("key_env", &self.key_env, "the service's default"),
        ]
    }
}

fn read(variable: &str) -> Option<String> {
    env::var(variable).ok().filter(|key| !key.is_empty())
}
