//! The tools that are published: those of all chosen dialects, in order, under names that do not clash.

use serde_json::Value;
use thiserror::Error;
use toolpost_engine::Access;
use toolpost_tool::{Dialect, Manual, ToolDef, published};

/// A tool as clients see it.
pub struct Published {
    /// The name; prefixed by the dialect where two dialects have the same one.
    pub name: String,
    /// The dialect that speaks.
    pub dialect: &'static Dialect,
    /// The row of the dialect's table.
    pub tool: &'static ToolDef,
    /// The first paragraph of the tool's page.
    pub description: String,
    /// The schema of the arguments.
    pub schema: Value,
    /// The schema with aliases and unlisted arguments, for decoding.
    pub full_schema: Value,
}

impl Published {
    /// Tells whether the tool only ever reads.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        !self.tool.access.contains(&Access::Writes)
    }

    /// Tells whether a name means this tool: published, the dialect's own, or `dialect_name`.
    fn is_called(&self, name: &str) -> bool {
        self.name == name || self.tool.answers_to(name) || self.is_called_in_full(name)
    }

    /// Tells whether a name is the dialect's name and the tool's.
    fn is_called_in_full(&self, name: &str) -> bool {
        let rest = name.strip_prefix(self.dialect.name).and_then(|rest| rest.strip_prefix('_'));
        rest.is_some_and(|rest| self.tool.answers_to(rest))
    }

    /// Gives the schema of the structured output.
    #[must_use]
    pub fn output_schema(&self) -> Value {
        published(&(self.tool.output_schema)())
    }
}

/// The tools that are published.
pub struct Catalogue {
    tools: Vec<Published>,
}

/// Which of the tools are published.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Narrow {
    /// Only these, by their names or as `dialect_name`; all where nothing is said.
    pub tools: Option<Vec<String>>,
    /// None that may do this; and no touch of this sort is allowed, whatever tool makes it.
    pub deny: Vec<Access>,
}

/// Why the tools cannot be narrowed as was asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NarrowError {
    /// No tool has a name that was said.
    #[error("no tool is called `{name}`; there are {}", .known.join(", "))]
    NoSuchTool {
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// No tool would be left.
    #[error("no tool is left: each of those that were asked for is denied; ask for others, or deny less")]
    Nothing,
}

impl Narrow {
    fn keeps(&self, tool: &Published) -> bool {
        let named = self.tools.as_ref().is_none_or(|names| names.iter().any(|name| tool.is_called(name)));
        named && !self.deny.iter().any(|access| tool.tool.access.contains(access))
    }
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
            let description = Manual::of_tool(dialect.pages, tool.name).map(|manual| manual.description);
            let full_schema = (tool.schema)();
            let schema = published(&full_schema);
            Published {
                name,
                dialect,
                tool,
                description: description.unwrap_or_default(),
                schema,
                full_schema,
            }
        });
        Self { tools: tools.collect() }
    }

    /// Publishes only a part of the tools; no name changes by that.
    ///
    /// # Errors
    /// When no tool has one of the names, or no tool would be left.
    pub fn narrowed(self, narrow: &Narrow) -> Result<Self, NarrowError> {
        for name in narrow.tools.iter().flatten() {
            if !self.tools.iter().any(|tool| tool.is_called(name)) {
                let known = self.tools.iter().map(|tool| tool.name.clone()).collect();
                let name = name.chars().take(80).flat_map(char::escape_default).collect();
                return Err(NarrowError::NoSuchTool { name, known });
            }
        }
        let asked = !narrow.deny.is_empty() || narrow.tools.is_some();
        let had = self.tools.len();
        let tools: Vec<Published> = self.tools.into_iter().filter(|tool| narrow.keeps(tool)).collect();
        if tools.is_empty() && had > 0 && asked {
            return Err(NarrowError::Nothing);
        }
        Ok(Self { tools })
    }

    /// Gives the tools, always in the same order.
    #[must_use]
    pub fn tools(&self) -> &[Published] {
        &self.tools
    }

    /// Finds a tool by its name in a dialect, or as `find` does.
    #[must_use]
    pub fn find_from(&self, dialect: &Dialect, name: &str) -> Option<&Published> {
        let own = |tool: &&Published| tool.dialect.name == dialect.name && tool.tool.answers_to(name);
        self.tools.iter().find(own).or_else(|| self.find(name))
    }

    /// Finds a tool by its published name, by an alias, or by `dialect_name`.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Published> {
        let exact = self.tools.iter().find(|tool| tool.name == name);
        exact
            .or_else(|| self.tools.iter().find(|tool| tool.is_called_in_full(name)))
            .or_else(|| self.tools.iter().find(|tool| tool.tool.answers_to(name)))
    }
}
