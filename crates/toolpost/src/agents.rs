//! Models, external agents, upstream servers and editors: the parts that the engine does not contain.

pub mod editor;
mod external;
pub mod files;
pub mod model;
mod resume;
mod source;

pub use source::ModelSource;

use crate::{
    error::{Error, Explain, Kind},
    settings::Settings,
};
use std::{path::PathBuf, sync::Arc};
use toolpost_engine::{Agents, Bridges, EditorSetup, Engine};
use toolpost_mcp_client::{self as mcp_client, Bridge};
use toolpost_runtime::{Policy, Runtime};
use toolpost_workspace::{Workspace, operator};

/// Models, external agents and upstream servers of a runtime.
pub struct Companions {
    models: ModelSource,
    bridge: Option<Arc<Bridge>>,
}

impl Companions {
    /// Creates the configured models, agents and upstream servers, without starting them.
    pub(crate) fn find(settings: &Settings, workspace: &Workspace) -> Result<Self, Error> {
        let bridge = upstream(settings, workspace)?;
        let models = ModelSource::find(settings, workspace, files::find(settings, workspace)?.agents)?;
        Ok(Self { models, bridge })
    }

    /// Returns the source of model answers.
    #[must_use]
    pub fn models(&self) -> &ModelSource {
        &self.models
    }

    /// Returns the upstream servers, if any are configured.
    #[must_use]
    pub fn bridge(&self) -> Option<&Arc<Bridge>> {
        self.bridge.as_ref()
    }

    pub(crate) fn agents(&self) -> Option<Arc<dyn Agents>> {
        self.models.agents()
    }

    pub(crate) fn bridges(&self) -> Option<Arc<dyn Bridges>> {
        self.bridge.clone().map(|bridge| bridge as Arc<dyn Bridges>)
    }

    pub(crate) fn editing(&self, settings: &Settings, workspace: &Workspace) -> EditorSetup {
        editor::editing(settings, workspace)
    }

    /// Grants an external agent its access to files.
    pub(crate) fn reach(&self, engine: &Engine, policy: &Policy, settings: &Settings) -> Result<(), Error> {
        self.models.reach(engine, policy, settings)
    }

    /// Passes the instructions and the roots to the model's agents.
    pub(crate) fn tell(&self, runtime: &Runtime) {
        self.models.tell(runtime);
    }

    /// Begins to connect the upstream servers; returns false if none are configured.
    pub(crate) fn connect(&self, runtime: &Arc<Runtime>) -> bool {
        if let Some(bridge) = &self.bridge {
            bridge.begin(runtime);
        }
        self.bridge.is_some()
    }

    /// Stops an external agent that was started.
    pub(crate) async fn end(&self) {
        self.models.end().await;
    }
}

/// Reads the configuration of the upstream servers without starting them. A project's own configuration is
/// ignored, because it would start programs that the project chose.
fn upstream(settings: &Settings, workspace: &Workspace) -> Result<Option<Arc<Bridge>>, Error> {
    let Some(path) = &settings.mcp_config.value else { return Ok(None) };
    let name = path.display().to_string();
    let text = operator::read(path).kind(Error::Upstream)?;
    let text =
        text.explain_with(Error::Upstream, || format!("`mcp_config` is {name}, which does not exist"))?;
    let entries =
        mcp_client::read(&name, &text, |variable| std::env::var(variable).ok()).kind(Error::Upstream)?;
    let home = workspace.roots().first().map_or_else(|| PathBuf::from("."), |root| root.path().to_path_buf());
    Ok(Some(Bridge::new(entries, &home)))
}
