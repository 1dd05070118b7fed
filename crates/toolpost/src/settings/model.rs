//! Settings of the model and of the agent loop: provider, URL and limits.

use super::{
    external_agent::ExternalAgentSettings,
    sources::{Setting, Sources},
};
use crate::settings::flags::{AgentLimits, ModelFlags};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::{env, sync::Arc, time::Duration};
use toolpost_agent::{
    ImageDisplay, Limits, ModelAgents, RunHeader, Subagent,
    models::{GenaiModel, Model, Patience, Place, Provider, Service},
};

/// Default context window, in tokens.
const WINDOW: u64 = 128_000;
/// Maximum number of concurrent requests, over all agents.
const AT_ONCE: usize = 4;
/// Default limits of a run.
const TURNS: u64 = 200;
const CALLS: u64 = 600;
const TOKENS: u64 = 2_000_000;
const SECONDS: u64 = 3_600;
/// Default time without any data from a model after which the request fails, in seconds.
const IDLE: f64 = 120.0;

/// `[agent]` section of the configuration file.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub struct File {
    acp: Option<Vec<String>>,
    acp_may: Option<String>,
    acp_env: Option<Vec<String>>,
    provider: Option<String>,
    model: Option<String>,
    base_url: Option<String>,
    window: Option<u64>,
    pictures: Option<String>,
    idle_seconds: Option<f64>,
    max_turns: Option<u64>,
    max_calls: Option<u64>,
    max_tokens: Option<u64>,
    max_time: Option<u64>,
}

/// Settings of the model, the external agent and the limits of a run.
pub struct ModelSettings {
    pub provider: Setting<Provider>,
    pub model: Setting<Option<String>>,
    pub base_url: Setting<Option<String>>,
    pub window: Setting<u64>,
    pub pictures: Setting<ImageDisplay>,
    pub idle: Setting<f64>,
    pub turns: Setting<u64>,
    pub calls: Setting<u64>,
    pub tokens: Setting<u64>,
    pub seconds: Setting<u64>,
    /// External agent that replaces the model.
    pub own: ExternalAgentSettings,
}

impl ModelSettings {
    /// Reads the settings from flags, environment and file.
    pub fn find(flags: &ModelFlags, from: &Sources, file: File) -> Result<Self> {
        let text = |text: &str| Ok(text.to_owned());
        let number = |text: &str| positive(text.parse()?);
        let said = flags.provider.as_deref().map(provider).transpose()?;
        let filed = file.provider.as_deref().map(provider).transpose()?;
        let checked = |number: Option<u64>| number.map(positive).transpose();
        Ok(Self {
            provider: from.choose(said, "PROVIDER", provider, filed, Provider::OpenAi)?,
            model: from.optional(flags.model.clone(), "MODEL", text, file.model)?,
            base_url: from.optional(flags.base_url.clone(), "BASE_URL", text, file.base_url)?,
            window: from.choose(None, "WINDOW", number, checked(file.window)?, WINDOW)?,
            pictures: from.choose(
                None,
                "PICTURES",
                showing,
                file.pictures.as_deref().map(showing).transpose()?,
                ImageDisplay::Shown,
            )?,
            idle: from.choose(
                None,
                "IDLE_SECONDS",
                |text| idle(text.parse()?),
                file.idle_seconds.map(idle).transpose()?,
                IDLE,
            )?,
            turns: from.choose(None, "MAX_TURNS", number, checked(file.max_turns)?, TURNS)?,
            calls: from.choose(None, "MAX_CALLS", number, checked(file.max_calls)?, CALLS)?,
            tokens: from.choose(None, "MAX_TOKENS", number, checked(file.max_tokens)?, TOKENS)?,
            seconds: from.choose(None, "MAX_TIME", number, checked(file.max_time)?, SECONDS)?,
            own: ExternalAgentSettings::find(&flags.own, from, (file.acp, file.acp_may, file.acp_env))?,
        })
    }

    /// Returns whether an external agent replaces the model. If both are named, the origin with precedence
    /// wins.
    pub fn asks_own(&self) -> Result<bool> {
        if self.own.command.value.is_none() || self.model.value.is_none() {
            return Ok(self.own.command.value.is_some());
        }
        let (own, model) = (self.own.command.origin.nearness(), self.model.origin.nearness());
        if own == model {
            bail!(
                "both a model and an external agent are set ({}): keep one of them, or pass `--acp none`",
                self.model.origin
            );
        }
        Ok(own > model)
    }

    /// Restores the model or external agent of an earlier run; transcripts of older versions do not record
    /// it.
    pub fn resume(&mut self, began: &RunHeader) -> Result<()> {
        if let Some(name) = &began.provider {
            self.provider.resume(provider(name)?);
            self.model.resume(Some(began.model.clone()));
            self.base_url.resume(began.base_url.clone());
        }
        if let Some(command) = &began.acp {
            self.own.resume(command.clone(), began.acp_may.as_deref())?;
        }
        Ok(())
    }

    /// Returns the limits of a run; flags override the settings.
    pub fn limits(&self, said: &AgentLimits) -> Limits {
        Limits {
            turns: Some(said.max_turns.unwrap_or(self.turns.value)),
            calls: Some(said.max_calls.unwrap_or(self.calls.value)),
            tokens: Some(said.max_tokens.unwrap_or(self.tokens.value)),
            time: Some(Duration::from_secs(said.max_time.unwrap_or(self.seconds.value))),
        }
    }

    /// Builds the agents of the model, or returns `None` if no usable model is named.
    pub fn crew(&self, subagents: Vec<Subagent>) -> Result<Option<Arc<ModelAgents>>> {
        if self.missing().is_some() {
            return Ok(None);
        }
        let Some(name) = &self.model.value else { return Ok(None) };
        let place = self.place()?;
        let http = toolpost_net::client()?;
        let maker = move |name: &str| -> Result<Arc<dyn Model>, toolpost_agent::models::Fault> {
            Ok(Arc::new(GenaiModel::new(place.clone(), name, http.clone())?))
        };
        let patience = Patience { idle: Duration::from_secs_f64(self.idle.value), ..Patience::default() };
        let service = Service::new(maker(name)?, patience, AT_ONCE);
        let crew = ModelAgents::new(service, Arc::new(maker), self.window.value, subagents);
        Ok(Some(Arc::new(crew.with_pictures(self.pictures.value))))
    }

    /// Returns the endpoint of the model; its key comes only from the environment.
    fn place(&self) -> Result<Place> {
        let provider = self.provider.value;
        let variables = provider.key_variables().iter();
        let key = variables.filter_map(|name| env::var(name).ok()).find(|key| !key.is_empty());
        Place::new(provider, self.base_url.value.as_deref(), key).context("base_url")
    }

    /// Returns the missing setting that keeps a task from running, if any.
    pub fn nobody(&self) -> Result<Option<String>> {
        Ok(if self.asks_own()? { None } else { self.missing() })
    }

    /// Returns the name of the model, or the command of the external agent.
    pub fn asked(&self) -> String {
        match &self.own.command.value {
            Some(command) if self.asks_own().is_ok_and(|own| own) => command.join(" "),
            _ => self.model.value.clone().unwrap_or_default(),
        }
    }

    /// Returns the missing setting that keeps a model from being used, if any.
    pub fn missing(&self) -> Option<String> {
        let provider = self.provider.value;
        if self.model.value.is_none() {
            let names: Vec<&str> = Provider::ALL.iter().map(|provider| provider.name()).collect();
            return Some(format!(
                "no model is named: give --model NAME, or set TOOLPOST_MODEL, or `model` in [agent] of the configuration file. \
                 --provider (TOOLPOST_PROVIDER, `provider`) says who has it: {}; it is {} now. Without a key, --acp COMMAND \
                 (TOOLPOST_ACP, `acp`) names an agent that you already have, such as \"opencode acp\"",
                names.join(", "),
                provider.name()
            ));
        }
        let variables = provider.key_variables();
        let has_key = variables.iter().any(|name| env::var_os(name).is_some_and(|key| !key.is_empty()));
        // A service that the operator names may need no key.
        if has_key || variables.is_empty() || self.base_url.value.is_some() {
            return None;
        }
        Some(format!(
            "{} wants a key: set {} in the environment (it is read from nowhere else), or name a service that wants none with \
             --base-url URL (TOOLPOST_BASE_URL, `base_url`)",
            provider.name(),
            variables.join(" or ")
        ))
    }

    /// Describes for `doctor` the model in use, or the missing setting.
    pub fn report(&self) -> String {
        if self.asks_own().is_ok_and(|own| own) {
            return "not used: an external agent is set".to_owned();
        }
        match (self.missing(), self.place()) {
            (Some(missing), _) => format!("none: {missing}"),
            (None, Err(error)) => format!("none: {error:#}"),
            (None, Ok(place)) => format!(
                "{} of {} at {}",
                self.model.value.as_deref().unwrap_or_default(),
                self.provider.value.name(),
                place.host()
            ),
        }
    }

    /// Lists the settings with their values and origins.
    pub fn in_force(&self) -> Vec<String> {
        fn line<T>(name: &str, setting: &Setting<T>, shown: String) -> String {
            format!("agent.{name} = {shown} ({})", setting.origin)
        }
        let said = |setting: &Setting<Option<String>>, without: &str| {
            setting.value.clone().unwrap_or_else(|| without.to_owned())
        };
        vec![
            line("provider", &self.provider, self.provider.value.name().to_owned()),
            line("model", &self.model, said(&self.model, "none")),
            line("base_url", &self.base_url, said(&self.base_url, self.provider.value.customary())),
            line("window", &self.window, self.window.value.to_string()),
            line("pictures", &self.pictures, shown(self.pictures.value).to_owned()),
            line("idle_seconds", &self.idle, self.idle.value.to_string()),
            line("max_turns", &self.turns, self.turns.value.to_string()),
            line("max_calls", &self.calls, self.calls.value.to_string()),
            line("max_tokens", &self.tokens, self.tokens.value.to_string()),
            line("max_time", &self.seconds, self.seconds.value.to_string()),
        ]
        .into_iter()
        .chain(self.own.in_force())
        .collect()
    }
}

fn provider(name: &str) -> Result<Provider> {
    let found = Provider::ALL.into_iter().find(|provider| provider.name() == name);
    let names: Vec<&str> = Provider::ALL.iter().map(|provider| provider.name()).collect();
    found.with_context(|| format!("unknown provider `{name}`; the providers are {}", names.join(", ")))
}

/// Parses the treatment of images.
fn showing(word: &str) -> Result<ImageDisplay> {
    [ImageDisplay::Shown, ImageDisplay::Named]
        .into_iter()
        .find(|showing| shown(*showing) == word)
        .with_context(|| format!("`{word}` must be `shown` or `named`"))
}

fn shown(showing: ImageDisplay) -> &'static str {
    match showing {
        ImageDisplay::Shown => "shown",
        ImageDisplay::Named => "named",
    }
}

fn positive(number: u64) -> Result<u64> {
    if number == 0 {
        bail!("it must be more than 0");
    }
    Ok(number)
}

fn idle(seconds: f64) -> Result<f64> {
    if !(seconds > 0.0 && seconds <= 3_600.0) {
        bail!("it must be more than 0 and at most 3600 seconds");
    }
    Ok(seconds)
}
