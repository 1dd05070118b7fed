//! Settings of a resumed run: those of its transcript, unless flags override them.

use super::model;
use crate::{
    error::{Error, Explain, Kind},
    settings::{
        Settings,
        values::{AgentMay, Choice, Deny, OnOff},
    },
};
use std::path::PathBuf;
use toolpost_agent::RunHeader;

impl Settings {
    /// Returns the header of a new transcript, with the settings of this run.
    #[must_use]
    pub fn began(&self, task: String, roots: Vec<String>) -> RunHeader {
        let external = model::is_external(self).is_ok_and(|external| external);
        RunHeader {
            task,
            roots,
            dialects: self.dialects.value.clone(),
            model: model::name(self),
            provider: (!external).then(|| self.provider.value.clone()),
            base_url: self.base_url.value.clone().filter(|_| !external),
            acp: self.external_agent.value.clone().filter(|_| external),
            acp_may: external.then(|| self.external_agent_may.value.word().to_owned()),
            tools: self.tools.value.clone(),
            deny: self.deny.value.iter().map(|deny| deny.word().to_owned()).collect(),
            read_only: self.read_only.value == OnOff::On,
            session: self.session.value.clone().unwrap_or_default(),
            ..RunHeader::default()
        }
    }

    /// Restores the settings of an earlier run. Denials accumulate: a flag cannot lift a denial that the
    /// transcript records.
    ///
    /// # Errors
    /// [`Error::Setting`] if the transcript has a value that this version does not know.
    pub fn resume(&mut self, began: &RunHeader) -> Result<(), Error> {
        if !began.dialects.is_empty() {
            self.dialects.resume(began.dialects.clone());
        }
        self.roots.resume(began.roots.iter().map(PathBuf::from).collect());
        self.resume_model(began)?;
        if let Some(tools) = &began.tools {
            self.tools.resume(Some(tools.clone()));
        }
        for word in &began.deny {
            let deny = Deny::parse(word)
                .explain_with(Error::Setting, || format!("invalid `deny` in the transcript: `{word}`"))?;
            if !self.deny.value.contains(&deny) {
                self.deny.value.push(deny);
            }
        }
        if began.read_only {
            self.read_only.resume(OnOff::On);
        }
        let session = if began.session.is_empty() { &began.id } else { &began.session };
        self.session.resume(Some(session.clone()));
        Ok(())
    }

    /// Restores the model or external agent of an earlier run, unless the transcript does not record it, as in older
    /// versions.
    fn resume_model(&mut self, began: &RunHeader) -> Result<(), Error> {
        if let Some(name) = &began.provider {
            model::provider(name)?;
            self.provider.resume(name.clone());
            self.model.resume(Some(began.model.clone()));
            self.base_url.resume(began.base_url.clone());
        }
        if let Some(command) = &began.acp {
            self.external_agent.resume(Some(command.clone()));
            if let Some(word) = &began.acp_may {
                self.external_agent_may.resume(AgentMay::parse(word).kind(Error::Setting)?);
            }
        }
        Ok(())
    }
}
