//! Settings of a resumed run: those of its transcript, unless flags override them.

use super::{Settings, parse::one_of};
use crate::settings::flags::OnOff;
use anyhow::{Context, Result};
use std::path::PathBuf;
use toolpost_agent::RunHeader;

impl Settings {
    /// Returns the header of a new transcript, with the settings of this run.
    pub fn began(&self, task: String, roots: Vec<String>) -> RunHeader {
        let (agent, narrow) = (&self.agent, &self.narrow);
        let own = agent.asks_own().is_ok_and(|own| own);
        RunHeader {
            task,
            roots,
            dialects: self.dialects.value.clone(),
            model: agent.asked(),
            provider: (!own).then(|| agent.provider.value.name().to_owned()),
            base_url: agent.base_url.value.clone().filter(|_| !own),
            acp: agent.own.command.value.clone().filter(|_| own),
            acp_may: own.then(|| agent.own.may().word().to_owned()),
            tools: narrow.tools.value.clone(),
            deny: narrow.deny.value.iter().map(|deny| deny.word().to_owned()).collect(),
            read_only: narrow.read_only.value == OnOff::On,
            session: self.session.value.clone().unwrap_or_default(),
            ..RunHeader::default()
        }
    }

    /// Restores the settings of an earlier run. Denials accumulate: a flag cannot lift one of the transcript.
    pub fn resume(&mut self, began: &RunHeader) -> Result<()> {
        if !began.dialects.is_empty() {
            self.dialects.resume(began.dialects.clone());
        }
        self.roots.resume(began.roots.iter().map(PathBuf::from).collect());
        self.agent.resume(began)?;
        if let Some(tools) = &began.tools {
            self.narrow.tools.resume(Some(tools.clone()));
        }
        for word in &began.deny {
            let deny = one_of(word).with_context(|| format!("the transcript denies `{word}`"))?;
            if !self.narrow.deny.value.contains(&deny) {
                self.narrow.deny.value.push(deny);
            }
        }
        if began.read_only {
            self.narrow.read_only.resume(OnOff::On);
        }
        let session = if began.session.is_empty() { &began.id } else { &began.session };
        self.session.resume(Some(session.clone()));
        Ok(())
    }
}
