//! The tools that are published: those of all chosen dialects and of other servers, in order, under names that do not clash.

use crate::{
    narrow::{Narrow, NarrowError},
    published::{Described, Published},
};
use std::sync::Arc;
use toolpost_tool::Dialect;

/// The tools that are published.
#[derive(Clone)]
pub struct Catalogue {
    tools: Vec<Arc<Published>>,
    shown: Option<&'static str>,
}

impl Catalogue {
    /// Publishes the tools of some dialects; clashing names get the dialect's name in front.
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
            Arc::new(Published::own(name, dialect, tool))
        });
        Self { tools: tools.collect(), shown: None }
    }

    /// Publishes only a part of the tools; no name changes by that.
    ///
    /// # Errors
    /// When no tool has one of the names, or no tool would be left.
    pub fn narrowed(self, narrow: &Narrow) -> Result<Self, NarrowError> {
        if let Some(name) = narrow.unknown(&self.tools) {
            let known = self.tools.iter().map(|tool| tool.name.clone()).collect();
            let name = name.chars().take(80).flat_map(char::escape_default).collect();
            return Err(NarrowError::NoSuchTool { name, known });
        }
        let had = self.tools.len();
        let tools: Vec<_> = self.tools.into_iter().filter(|tool| narrow.keeps(tool)).collect();
        if tools.is_empty() && had > 0 && narrow.says_something() && !narrow.may_mean_remote() {
            return Err(NarrowError::Nothing);
        }
        Ok(Self { tools, shown: narrow.shown })
    }

    /// Publishes tools of other servers behind these; one whose name is taken, or which is left out, is not.
    #[must_use]
    pub(crate) fn joined(
        mut self,
        remote: Vec<Described>,
        dialect: &'static Dialect,
        narrow: &Narrow,
    ) -> Self {
        for described in remote {
            let tool = Published::remote(described, dialect);
            if narrow.keeps(&tool) && !self.tools.iter().any(|other| other.name == tool.name) {
                self.tools.push(Arc::new(tool));
            }
        }
        self
    }

    /// Marks the tools of other servers that are described otherwise than in an earlier catalogue.
    #[must_use]
    pub(crate) fn compared_with(mut self, before: &Self) -> Self {
        for tool in &mut self.tools {
            let earlier = before.tools.iter().find(|earlier| earlier.name == tool.name);
            if let Some(earlier) = earlier
                && let Some(changed) = tool.redescribed(earlier)
            {
                tracing::warn!(tool = %tool.name, "another server has changed how it describes a tool");
                *tool = Arc::new(changed);
            }
        }
        self
    }

    /// Gives the tools that clients are shown and can call, always in the same order.
    pub fn listed(&self) -> impl Iterator<Item = &Published> {
        self.tools.iter().map(|tool| &**tool).filter(|tool| self.is_listed(tool))
    }

    /// Tells whether clients are shown a tool.
    #[must_use]
    pub fn is_listed(&self, tool: &Published) -> bool {
        self.shown.is_none_or(|dialect| dialect == tool.dialect.name)
    }

    /// Gives all tools, always in the same order.
    #[must_use]
    pub fn tools(&self) -> &[Arc<Published>] {
        &self.tools
    }

    /// Finds a tool by its name in a dialect, or as `find` does.
    #[must_use]
    pub fn find_from(&self, dialect: &Dialect, name: &str) -> Option<&Published> {
        let own = |tool: &&Arc<Published>| tool.dialect.name == dialect.name && tool.answers_to(name);
        self.tools.iter().find(own).map(|tool| &**tool).or_else(|| self.find(name))
    }

    /// Finds a tool by its published name, by an alias, or by `dialect_name`.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Published> {
        let exact = self.tools.iter().find(|tool| tool.name == name);
        exact
            .or_else(|| self.tools.iter().find(|tool| tool.is_called_in_full(name)))
            .or_else(|| self.tools.iter().find(|tool| tool.answers_to(name)))
            .map(|tool| &**tool)
    }
}
