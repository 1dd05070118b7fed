//! Service that searches code outside the workspace.

use crate::{
    error::{Cause, Error, Explain},
    parts::PartState,
    settings::Settings,
};
use std::env;
use toolpost_engine::{Access, CodeService, PROVIDERS};

/// Builds the client of the code search service, if the settings name one; its key comes only from the
/// environment.
///
/// # Errors
/// [`Error::Service`] if the service is unknown, or its URL or key is invalid; [`Error::Setting`] if
/// `[codesearch]` has other settings but names no service, or its `key_env` names a variable that is not set.
pub fn service(settings: &Settings) -> Result<Option<CodeService>, Error> {
    let Some(name) = &settings.codesearch.value else {
        let set = [
            ("codesearch.base_url", &settings.codesearch_url),
            ("codesearch.key_env", &settings.codesearch_key_env),
        ];
        if let Some((key, _)) = set.into_iter().find(|(_, setting)| setting.value.is_some()) {
            let name = key.trim_start_matches("codesearch.");
            let what = format!(
                "`{name}` in [codesearch] is set, but there is no service: also set `provider`, or pass \
                 --codesearch NAME"
            );
            return Err(Error::Setting(Cause::text(what)).about(key));
        }
        return Ok(None);
    };
    let usual =
        PROVIDERS.iter().find(|provider| provider.name() == name).map(|provider| provider.variables());
    let key = match &settings.codesearch_key_env.value {
        Some(variable) => {
            let key = read(variable);
            let missing = || {
                format!("`key_env` in [codesearch] is {variable}, but this environment variable is not set")
            };
            let key = key.explain_with(Error::Setting, missing);
            Some(key.map_err(|error| error.about("codesearch.key_env"))?)
        }
        None => usual.unwrap_or_default().iter().find_map(|variable| read(variable)),
    };
    let service = CodeService::new(name, settings.codesearch_url.value.as_deref(), key);
    Ok(Some(service.explain(Error::Service, "codesearch")?))
}

/// Describes the code search service in use, or why there is none.
#[must_use]
pub fn report(settings: &Settings) -> (String, PartState) {
    match service(settings) {
        Ok(None) => ("no external service; only this machine is searched".to_owned(), PartState::Unset),
        Ok(Some(service)) if settings.denied().contains(&Access::Fetches) => {
            (format!("{} is disabled, because `deny` forbids fetching", service.name()), PartState::Fails)
        }
        Ok(Some(service)) => match service.missing() {
            Some(missing) => (missing, PartState::Fails),
            None => (format!("{} at {}", service.name(), service.base()), PartState::Works),
        },
        Err(error) => (error.chain(), PartState::Fails),
    }
}

fn read(variable: &str) -> Option<String> {
    env::var(variable).ok().filter(|key| !key.is_empty())
}
