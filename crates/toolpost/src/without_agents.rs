//! Stand-in for models, agents, upstream servers and editors in a build without them.

use crate::{
    error::{Cause, Error},
    settings::{Settings, values::EditorChoice},
};
use std::sync::Arc;
use toolpost_engine::{Agents, Bridges, EditorSetup, Engine, InsertionFallback};
use toolpost_runtime::{Policy, Runtime};
use toolpost_workspace::Workspace;

/// Empty stand-in for the parts that the engine does not contain.
pub(crate) struct Companions;

impl Companions {
    /// Returns an error for settings that need the feature `agent`.
    pub(crate) fn find(settings: &Settings, _workspace: &Workspace) -> Result<Self, Error> {
        let refused = |kind: fn(Cause) -> Error, key: &str| {
            Err(kind(Cause::text(format!(
                "`{key}` is set, and this program was built without the feature `agent`: rebuild it with that feature, or \
                 remove the setting"
            ))))
        };
        let missing = |kind, key: &'static str| refused(kind, key).map_err(|error: Error| error.about(key));
        if settings.model.value.is_some() {
            return missing(Error::Model, "agent.model");
        }
        if settings.external_agent.value.is_some() {
            return missing(Error::Model, "agent.acp");
        }
        if settings.mcp_config.value.is_some() {
            return missing(Error::Upstream, "mcp_config");
        }
        if matches!(settings.editor.value, EditorChoice::Neovim(_)) {
            return missing(Error::Setting, "editor");
        }
        Ok(Self)
    }

    pub(crate) fn agents(&self) -> Option<Arc<dyn Agents>> {
        None
    }

    pub(crate) fn bridges(&self) -> Option<Arc<dyn Bridges>> {
        None
    }

    pub(crate) fn editing(&self, settings: &Settings, _workspace: &Workspace) -> EditorSetup {
        let applied = settings.editor_apply.value == crate::settings::values::OnOff::On;
        EditorSetup {
            editor: None,
            without: if applied { InsertionFallback::Applied } else { InsertionFallback::Told },
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "the build with agents can fail here")]
    pub(crate) fn reach(
        &self,
        _engine: &Engine,
        _policy: &Policy,
        _settings: &Settings,
    ) -> Result<(), Error> {
        Ok(())
    }

    pub(crate) fn tell(&self, _runtime: &Runtime) {}

    pub(crate) fn connect(&self, _runtime: &Arc<Runtime>) -> bool {
        false
    }

    pub(crate) async fn end(&self) {}
}
