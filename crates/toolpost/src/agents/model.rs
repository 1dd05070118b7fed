//! The model or the external agent that works on tasks, and its limits.

use crate::{
    error::{Cause, Error, Explain, Kind},
    settings::{Settings, values::Pictures},
};
use std::{env, sync::Arc, time::Duration};
use toolpost_agent::{
    ImageDisplay, Limits, ModelAgents, Subagent,
    models::{GenaiModel, Model, ModelEndpoint, ModelError, Patience, Provider, Service},
};

/// Maximum number of concurrent requests to the model, of all agents together.
const AT_ONCE: usize = 4;

/// Returns whether an external agent replaces the model. If both are set, the one whose source has the higher
/// precedence wins.
///
/// # Errors
/// [`Error::Model`] if the same source sets both.
pub fn is_external(settings: &Settings) -> Result<bool, Error> {
    let (agent, model) = (&settings.external_agent, &settings.model);
    if agent.value.is_none() || model.value.is_none() {
        return Ok(agent.value.is_some());
    }
    let (external, own) = (agent.origin.precedence(), model.origin.precedence());
    if external == own {
        let what = format!(
            "both a model and an external agent are set ({}): keep one of them, or pass `--acp none`",
            model.origin
        );
        return Err(Error::Model(Cause::text(what)));
    }
    Ok(external > own)
}

/// Returns the limits of an agent's run: model requests, tool calls, tokens and time.
#[must_use]
pub fn limits(settings: &Settings) -> Limits {
    Limits {
        turns: Some(settings.max_turns.value),
        calls: Some(settings.max_calls.value),
        tokens: Some(settings.max_tokens.value),
        time: Some(Duration::from_secs(settings.max_time.value)),
    }
}

/// Returns how images in replies reach the model.
#[must_use]
pub fn image_display(settings: &Settings) -> ImageDisplay {
    match settings.pictures.value {
        Pictures::Shown => ImageDisplay::Shown,
        Pictures::Named => ImageDisplay::Named,
    }
}

/// Builds the agents of the model, or returns `None` if no usable model is set.
pub(super) fn agents(
    settings: &Settings,
    subagents: Vec<Subagent>,
) -> Result<Option<Arc<ModelAgents>>, Error> {
    if missing(settings)?.is_some() {
        return Ok(None);
    }
    let Some(name) = &settings.model.value else { return Ok(None) };
    let place = place(settings)?;
    let http = toolpost_net::client().kind(Error::Model)?;
    let maker = move |name: &str| -> Result<Arc<dyn Model>, ModelError> {
        Ok(Arc::new(GenaiModel::new(place.clone(), name, http.clone())?))
    };
    let patience = Patience { idle: Duration::from_secs_f64(settings.idle.value), ..Patience::default() };
    let service = Service::new(maker(name).kind(Error::Model)?, patience, AT_ONCE);
    let agents = ModelAgents::new(service, Arc::new(maker), settings.window.value, subagents);
    Ok(Some(Arc::new(agents.with_pictures(image_display(settings)))))
}

/// Returns the endpoint of the model; its key comes only from the environment.
fn place(settings: &Settings) -> Result<ModelEndpoint, Error> {
    let provider = provider(&settings.provider.value)?;
    let variables = provider.key_variables().iter();
    let key = variables.filter_map(|name| env::var(name).ok()).find(|key| !key.is_empty());
    ModelEndpoint::new(provider, settings.base_url.value.as_deref(), key).explain(Error::Model, "base_url")
}

/// Describes the missing setting or key that keeps a task from running; `None` if none is missing.
///
/// # Errors
/// [`Error::Model`] if the same source names both a model and an external agent; [`Error::Setting`] if the provider is
/// unknown.
pub fn unavailable(settings: &Settings) -> Result<Option<String>, Error> {
    if is_external(settings)? { Ok(None) } else { missing(settings) }
}

/// Returns the name of the model, or the command of the external agent; empty if neither is set.
#[must_use]
pub fn name(settings: &Settings) -> String {
    match &settings.external_agent.value {
        Some(command) if is_external(settings).is_ok_and(|external| external) => command.join(" "),
        _ => settings.model.value.clone().unwrap_or_default(),
    }
}

/// Describes the missing setting or key that keeps a model from being used; `None` if none is missing.
fn missing(settings: &Settings) -> Result<Option<String>, Error> {
    let provider = provider(&settings.provider.value)?;
    if settings.model.value.is_none() {
        let names: Vec<&str> = Provider::ALL.iter().map(|provider| provider.name()).collect();
        return Ok(Some(format!(
            "no model is set: pass --model NAME, or set TOOLPOST_MODEL, or `model` in [agent] of the configuration file. \
             --provider (TOOLPOST_PROVIDER, `provider`) selects the model's provider: {}; the current provider is {}. Without a key, use \
             an agent that you already have: --acp COMMAND (TOOLPOST_ACP, `acp`), such as \"opencode acp\"",
            names.join(", "),
            provider.name()
        )));
    }
    let variables = provider.key_variables();
    let has_key = variables.iter().any(|name| env::var_os(name).is_some_and(|key| !key.is_empty()));
    // A service whose URL the operator set may need no key.
    if has_key || variables.is_empty() || settings.base_url.value.is_some() {
        return Ok(None);
    }
    Ok(Some(format!(
        "{} needs a key: set {} in the environment (Toolpost reads keys only from there), or use a service \
         without a key with --base-url URL (TOOLPOST_BASE_URL, `base_url`)",
        provider.name(),
        variables.join(" or ")
    )))
}

/// Describes the model in use, or the missing setting.
#[must_use]
pub fn report(settings: &Settings) -> String {
    if is_external(settings).is_ok_and(|external| external) {
        return "no model is used, because an external agent is set".to_owned();
    }
    match (missing(settings), place(settings)) {
        (Ok(Some(missing)), _) => format!("none: {missing}"),
        (Err(error), _) | (Ok(None), Err(error)) => format!("none: {}", error.chain()),
        (Ok(None), Ok(place)) => format!(
            "{} of {} at {}",
            settings.model.value.as_deref().unwrap_or_default(),
            settings.provider.value,
            place.host()
        ),
    }
}

/// Finds a provider of models by its name.
pub(super) fn provider(name: &str) -> Result<Provider, Error> {
    let found = Provider::ALL.into_iter().find(|provider| provider.name() == name);
    let names: Vec<&str> = Provider::ALL.iter().map(|provider| provider.name()).collect();
    let unknown = || format!("unknown provider `{name}`; the providers are {}", names.join(", "));
    found.explain_with(Error::Setting, unknown).map_err(|error| error.about("agent.provider"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{
        PROVIDERS,
        values::{AgentMay, Choice},
    };
    use toolpost_acp::AgentPermissions;

    #[test]
    fn setting_values_match_the_agent_crate() {
        assert_eq!(Provider::ALL.map(Provider::name), PROVIDERS);
        let words: Vec<&str> = AgentMay::ALL.iter().map(|(_, word)| *word).collect();
        assert_eq!(words, AgentPermissions::ALL.map(AgentPermissions::word));
    }
}
