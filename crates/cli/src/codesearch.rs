//! The settings of what is searched beyond the project itself: its dependencies here, and a service elsewhere.

use crate::{
    args::OnOff,
    settings::{Setting, Settings, Sources},
};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::{env, path::PathBuf, sync::Arc};
use toolpost_engine::{Access, CodeService, Dependencies, PROVIDERS, PackageStores};
use toolpost_workspace::{Workspace, operator};

/// What the command line says of it.
#[derive(clap::Args, Default)]
pub(crate) struct CodeFlags {
    /// Read dependencies where package managers keep them [default: on]
    #[arg(long, global = true, value_enum)]
    pub(crate) dependencies: Option<OnOff>,
    /// Web service that code search also asks: exa, context7, sourcegraph or github [default: none]
    #[arg(long, global = true, value_name = "NAME")]
    codesearch: Option<String>,
    /// URL of the code search service
    #[arg(long, global = true, value_name = "URL")]
    codesearch_url: Option<String>,
}

/// What the configuration file says of it, in `[codesearch]`.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    provider: Option<String>,
    base_url: Option<String>,
    key_env: Option<String>,
}

/// The service that searches elsewhere, where one is named.
pub(crate) struct Elsewhere {
    provider: Setting<Option<String>>,
    base_url: Setting<Option<String>>,
    key_env: Setting<Option<String>>,
}

impl Elsewhere {
    /// Finds the settings.
    pub(crate) fn find(flags: &CodeFlags, from: &Sources, file: File) -> Result<Self> {
        let text = |text: &str| Ok(text.to_owned());
        Ok(Self {
            provider: from.optional(flags.codesearch.clone(), "CODESEARCH", text, file.provider)?,
            base_url: from.optional(flags.codesearch_url.clone(), "CODESEARCH_URL", text, file.base_url)?,
            key_env: from.optional(None, "CODESEARCH_KEY_ENV", text, file.key_env)?,
        })
    }

    /// Makes what asks the service; its key comes from the environment alone.
    pub(crate) fn service(&self) -> Result<Option<CodeService>> {
        let Some(name) = &self.provider.value else {
            let said = [("base_url", &self.base_url), ("key_env", &self.key_env)];
            if let Some((name, _)) = said.into_iter().find(|(_, setting)| setting.value.is_some()) {
                bail!(
                    "{name} of [codesearch] is set, and no service is named: give `provider`, or --codesearch NAME"
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

    /// Says for people which service is asked, or why none is.
    pub(crate) fn report(&self, denied: &[Access]) -> String {
        match self.service() {
            Ok(None) => "no service elsewhere is asked, only what lies on this machine".to_owned(),
            Ok(Some(service)) if denied.contains(&Access::Fetches) => {
                format!("{} is not asked, as nothing may be fetched", service.name())
            }
            Ok(Some(service)) => match service.missing() {
                Some(missing) => missing,
                None => format!("{} at {}", service.name(), service.base()),
            },
            Err(error) => format!("{error:#}"),
        }
    }

    /// Lists the settings, each with its value and where it came from.
    pub(crate) fn in_force(&self) -> Vec<String> {
        let line = |name: &str, setting: &Setting<Option<String>>, without: &str| {
            format!(
                "codesearch.{name} = {} ({})",
                setting.value.as_deref().unwrap_or(without),
                setting.origin
            )
        };
        vec![
            line("provider", &self.provider, "none"),
            line("base_url", &self.base_url, "the customary one"),
            line("key_env", &self.key_env, "the customary one"),
        ]
    }
}

/// Makes what asks the service elsewhere, where one is named and something may be fetched.
pub(crate) fn service(settings: &Settings) -> Result<Option<Arc<CodeService>>> {
    let service = settings.elsewhere.service()?;
    Ok(service.filter(|_| !settings.denied().contains(&Access::Fetches)).map(Arc::new))
}

/// Makes what is asked about the packages that the project depends on; none where that is switched off.
pub(crate) fn dependencies(settings: &Settings, workspace: &Workspace) -> Option<Dependencies> {
    let variable = |name: &str| env::var_os(name).map(PathBuf::from);
    let unpacked = settings.cache.value.as_ref().map(|cache| cache.join("sources"));
    let places = PackageStores { unpacked, ..PackageStores::default_locations(operator::home(), variable) };
    (settings.dependencies.value == OnOff::On).then(|| Dependencies::new(workspace.clone(), places))
}

fn read(variable: &str) -> Option<String> {
    env::var(variable).ok().filter(|key| !key.is_empty())
}
