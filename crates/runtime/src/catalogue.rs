//! The tools that are published: those of all chosen dialects, in order, under names that do not clash.

use serde_json::Value;
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
        let prefixed = |tool: &&Published| {
            name.strip_prefix(tool.dialect.name)
                .and_then(|rest| rest.strip_prefix('_'))
                .is_some_and(|rest| tool.tool.answers_to(rest))
        };
        let exact = self.tools.iter().find(|tool| tool.name == name);
        exact
            .or_else(|| self.tools.iter().find(prefixed))
            .or_else(|| self.tools.iter().find(|tool| tool.tool.answers_to(name)))
    }
}
