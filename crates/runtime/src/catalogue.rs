//! The published tools: those of all chosen dialects and of upstream servers, in order, under unique names.

use crate::{
    narrow::{NarrowError, ToolSelection},
    published::{DescriptionRole, Published, UpstreamToolDefinition},
};
use std::{collections::BTreeSet, sync::Arc};
use toolpost_tool::Dialect;

/// The tools that are published under unique names.
#[derive(Clone)]
pub struct Catalogue {
    tools: Vec<Arc<Published>>,
    shown: Option<&'static str>,
}

impl Catalogue {
    /// Publishes the tools of some dialects. If two tools have the same name, the dialect becomes a prefix of
    /// the names.
    #[must_use]
    pub fn of(dialects: &[&'static Dialect]) -> Self {
        let rows =
            || dialects.iter().flat_map(|dialect| dialect.tools.iter().map(move |tool| (*dialect, tool)));
        let clashes = |name: &str| rows().filter(|(_, tool)| tool.name == name).count() > 1;
        let tools = rows().map(|(dialect, tool)| {
            let name = if clashes(tool.name) {
                format!("{}_{}", dialect.name, tool.name)
            } else {
                tool.name.to_owned()
            };
            Arc::new(Published::own(name, dialect, tool, DescriptionRole::Once))
        });
        Self { tools: tools.collect(), shown: None }
    }

    /// Restricts the catalogue to the selected tools, whose names do not change.
    ///
    /// # Errors
    ///
    /// If a selected name belongs to no tool and cannot belong to an upstream tool, or if no tool would be left.
    pub fn narrowed(self, narrow: &ToolSelection) -> Result<Self, NarrowError> {
        if let Some(name) = narrow.unknown(&self.tools) {
            let known = self.tools.iter().map(|tool| tool.name.clone()).collect();
            let name = name.chars().take(80).flat_map(char::escape_default).collect();
            return Err(NarrowError::NoSuchTool { name, known });
        }
        let had = self.tools.len();
        let mut tools: Vec<_> = self.tools.into_iter().filter(|tool| narrow.keeps(tool)).collect();
        let alone: Vec<_> = tools.iter().map(|tool| tool.alone(&tools)).collect();
        for (tool, alone) in tools.iter_mut().zip(alone) {
            if let Some(alone) = alone {
                *tool = Arc::new(alone);
            }
        }
        if tools.is_empty() && had > 0 && narrow.says_something() && !narrow.may_mean_remote() {
            return Err(NarrowError::Nothing);
        }
        Ok(Self { tools, shown: narrow.shown })
    }

    /// Appends the tools of upstream servers, except those whose name another tool has and those that
    /// `narrow` excludes.
    #[must_use]
    pub(crate) fn joined(
        mut self,
        remote: Vec<UpstreamToolDefinition>,
        dialect: &'static Dialect,
        narrow: &ToolSelection,
    ) -> Self {
        for described in remote {
            let tool = Published::remote(described, dialect);
            if narrow.keeps(&tool) && !self.tools.iter().any(|other| other.name == tool.name) {
                self.tools.push(Arc::new(tool));
            }
        }
        self
    }

    /// Marks the upstream tools whose description or schema differs from that in an earlier catalogue, or which are marked
    /// there.
    #[must_use]
    pub(crate) fn compared_with(mut self, before: &Self) -> Self {
        for tool in &mut self.tools {
            let earlier = before.tools.iter().find(|earlier| earlier.name == tool.name);
            if let Some(earlier) = earlier
                && let Some(changed) = tool.redescribed(earlier)
            {
                tracing::warn!(tool = %tool.name, "an upstream server has changed the description of a tool");
                *tool = Arc::new(changed);
            }
        }
        self
    }

    /// Marks the upstream tools with these names, because their description or schema changed since an earlier session.
    #[must_use]
    pub(crate) fn marked(mut self, changed: &BTreeSet<String>) -> Self {
        for tool in self.tools.iter_mut().filter(|tool| changed.contains(&tool.name)) {
            if let Some(marked) = tool.marked() {
                tracing::warn!(tool = %tool.name, "an upstream server has changed a tool since an earlier session");
                *tool = Arc::new(marked);
            }
        }
        self
    }

    /// Returns the tools that clients see and can call, always in the same order.
    pub fn listed(&self) -> impl Iterator<Item = &Published> {
        self.tools.iter().map(|tool| &**tool).filter(|tool| self.is_listed(tool))
    }

    /// Returns true if clients see and can call a tool; otherwise, only nested calls can.
    #[must_use]
    pub fn is_listed(&self, tool: &Published) -> bool {
        self.shown.is_none_or(|dialect| dialect == tool.dialect.name)
    }

    /// Returns all tools, also those that only nested calls can use, always in the same order.
    #[must_use]
    pub fn tools(&self) -> &[Arc<Published>] {
        &self.tools
    }

    /// Finds a tool by its name in a dialect; if that dialect has none, finds it as [`find`](Self::find)
    /// does.
    #[must_use]
    pub fn find_from(&self, dialect: &Dialect, name: &str) -> Option<&Published> {
        let own = |tool: &&Arc<Published>| tool.dialect.name == dialect.name && tool.answers_to(name);
        self.tools.iter().find(own).map(|tool| &**tool).or_else(|| self.find(name))
    }

    /// Finds a tool by its published name, by an alias, or by its name after the dialect, as in
    /// `probe_search`.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Published> {
        let exact = self.tools.iter().find(|tool| tool.name == name);
        exact
            .or_else(|| self.tools.iter().find(|tool| tool.is_called_in_full(name)))
            .or_else(|| self.tools.iter().find(|tool| tool.answers_to(name)))
            .map(|tool| &**tool)
    }
}
