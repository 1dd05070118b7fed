//! Answers of Toolpost's index for each call site.

use super::code::{Code, Id};
use super::score::Predictions;
use anyhow::{Context, Result};
use std::{collections::HashMap, path::Path};
use toolpost_symbols::{Certainty, Index, Resolution, ResolutionMethod};
use toolpost_workspace::{Options, Workspace};

/// Toolpost's answers for all call sites of a corpus.
pub(super) struct ToolpostAnswers {
    sites: Vec<Verdict>,
}

/// Toolpost's answer for one call site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Possible targets of the call; `None` stands for a target whose definition `Code` does not contain.
    Targets(Vec<(Option<Id>, ResolutionMethod, Certainty)>),
    Outside,
    Local,
    Unresolved,
    /// The index does not contain the call site.
    Missing,
}

impl ToolpostAnswers {
    pub(super) fn ask(tree: &Path, code: &Code) -> Result<Self> {
        let options = Options { roots: vec![tree.to_owned()], ..Options::default() };
        let (workspace, _) = Workspace::open(options).context("the corpus cannot be opened")?;
        let index = Index::new(workspace, None);
        let graph = index.graph(&|| false)?;
        let mut found: HashMap<(String, usize), Verdict> = HashMap::new();
        for site in graph.sites() {
            let verdict = match &site.found {
                Resolution::Targets(targets) => {
                    let target = |target: &toolpost_symbols::Target| {
                        let path = &graph.file(target.at.file).path;
                        let name = graph.symbol(target.at).at;
                        (code.at(path, name.0 as usize), target.how, target.sure)
                    };
                    Verdict::Targets(targets.iter().map(target).collect())
                }
                Resolution::Outside => Verdict::Outside,
                Resolution::Local => Verdict::Local,
                Resolution::Unresolved => Verdict::Unresolved,
            };
            found.insert((site.path, site.at.start), verdict);
        }
        let one = |site: &super::code::Site| {
            found.remove(&(site.path.clone(), site.at.start)).unwrap_or(Verdict::Missing)
        };
        Ok(Self { sites: code.sites.iter().map(one).collect() })
    }

    /// Returns the targets of each call site that are at least this certain.
    pub(super) fn up_to(&self, most: Certainty) -> Predictions {
        let one = |verdict: &Verdict| match verdict {
            Verdict::Targets(targets) => {
                let mut said: Vec<Option<Id>> =
                    targets.iter().filter(|(.., sure)| *sure <= most).map(|(id, ..)| *id).collect();
                said.sort_unstable();
                said.dedup();
                said
            }
            _ => Vec::new(),
        };
        self.sites.iter().map(one).collect()
    }

    /// Returns the targets of each call site, each with a label: its certainty and the method that found it.
    pub(super) fn labelled(&self) -> Vec<Vec<(String, Option<Id>)>> {
        let one = |verdict: &Verdict| match verdict {
            Verdict::Targets(targets) => targets
                .iter()
                .map(|(id, how, sure)| (format!("{sure:?}: {how:?}").to_lowercase(), *id))
                .collect(),
            _ => Vec::new(),
        };
        self.sites.iter().map(one).collect()
    }

    /// Returns the answer for a call site, by its index in `Code::sites`.
    pub(super) fn of(&self, site: usize) -> &Verdict {
        &self.sites[site]
    }
}
