//! One published tool, of a dialect or of an upstream server.

use crate::bridged;
use serde_json::Value;
use std::sync::{Arc, LazyLock};
use toolpost_engine::{Access, Effect, Failure, RemoteTool};
use toolpost_tool::{DecodedCall, Dialect, Lowering, Manual, ToolDef, published};

/// A published tool, as clients see it.
pub struct Published {
    /// The published name: the name of the tool, with the dialect's name and `_` before it if tools of two dialects
    /// have the same name.
    pub name: String,
    /// The dialect of the tool.
    pub dialect: &'static Dialect,
    /// The description and the parameters, generated on first use, so that a server answers `initialize`
    /// without waiting.
    definition: LazyLock<Definition, Box<dyn FnOnce() -> Definition + Send>>,
    body: Body,
}

/// The description and the parameters of a tool.
struct Definition {
    /// The first paragraph of the tool's page, or an upstream server's description.
    description: String,
    /// The schema of the arguments that clients see.
    schema: Value,
    /// The schema for decoding the arguments, which also has the aliases and the arguments that clients do not see.
    full_schema: Value,
}

/// For a tool that a dialect lists under two names: which entry describes the parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DescriptionRole {
    /// The entry under the first name describes the parameters; the entry under the second name refers to the first.
    Once,
    /// This entry describes the parameters, because the entry under the other name is not published.
    Here,
}

/// The implementation of a published tool.
enum Body {
    /// An operation of the engine, as an entry of the dialect's table of tools defines it.
    Own(&'static ToolDef),
    /// A tool of an upstream server, and whether the server has changed its description or schema.
    Remote(RemoteTool, Words),
}

/// State of an upstream tool's description and schema: unchanged, or changed since the tool was published earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Words {
    /// No change of the description or the schema is known.
    First,
    /// The server has changed the description or the schema since an earlier publication of the tool.
    Changed,
}

/// A tool of an upstream server, as that server describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct UpstreamToolDefinition {
    /// The names of the server and of the tool.
    pub tool: RemoteTool,
    /// The name under which Toolpost publishes the tool.
    pub name: String,
    /// The upstream server's description of the tool.
    pub description: String,
    /// The schema of the tool's arguments.
    pub schema: Value,
}

impl Published {
    /// Publishes a tool of a dialect, from the dialect's table of tools.
    pub(crate) fn own(
        name: String,
        dialect: &'static Dialect,
        tool: &'static ToolDef,
        described: DescriptionRole,
    ) -> Self {
        let definition = move || {
            let full_schema = (tool.schema)();
            let (page, schema) = match (described, tool.same_as) {
                (DescriptionRole::Here, Some(twin)) => (twin, published(&full_schema)),
                _ => (tool.name, tool.published(&full_schema)),
            };
            let description = Manual::description(dialect.pages, page).unwrap_or_default();
            Definition { description, schema, full_schema }
        };
        Self { name, dialect, definition: LazyLock::new(Box::new(definition)), body: Body::Own(tool) }
    }

    /// Returns the tool with a full description, if it is the second name of a tool whose first name is not
    /// among `others`; otherwise `None`.
    pub(crate) fn alone(&self, others: &[Arc<Self>]) -> Option<Self> {
        let Body::Own(tool) = &self.body else { return None };
        let twin = tool.same_as?;
        let is_listed = |other: &Arc<Self>| other.dialect.name == self.dialect.name && other.answers_to(twin);
        let is_alone = !others.iter().any(is_listed);
        is_alone.then(|| Self::own(self.name.clone(), self.dialect, tool, DescriptionRole::Here))
    }

    /// Publishes a tool of an upstream server, with the budget and wording of a dialect.
    pub(crate) fn remote(described: UpstreamToolDefinition, dialect: &'static Dialect) -> Self {
        let UpstreamToolDefinition { tool, name, description, schema } = described;
        let definition = Definition { description, full_schema: schema.clone(), schema };
        Self {
            name,
            dialect,
            definition: LazyLock::new(Box::new(|| definition)),
            body: Body::Remote(tool, Words::First),
        }
    }

    /// Returns the description of the tool that the model sees.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.definition.description
    }

    /// Returns the schema of the arguments that clients see.
    #[must_use]
    pub fn schema(&self) -> &Value {
        &self.definition.schema
    }

    /// Returns the tool marked as changed, if its description or schema differs from that of an earlier tool
    /// of the same name, or if the earlier tool is marked. `None` if the tool needs no mark.
    pub(crate) fn redescribed(&self, earlier: &Self) -> Option<Self> {
        let Body::Remote(_, words) = &earlier.body else { return None };
        let is_same = (self.description(), self.schema()) == (earlier.description(), earlier.schema());
        (!is_same || *words == Words::Changed).then(|| self.marked())?
    }

    /// Returns an upstream tool marked as changed; `None` for a tool of Toolpost.
    pub(crate) fn marked(&self) -> Option<Self> {
        let Body::Remote(tool, _) = &self.body else { return None };
        let described = UpstreamToolDefinition {
            tool: tool.clone(),
            name: self.name.clone(),
            description: self.description().to_owned(),
            schema: self.schema().clone(),
        };
        let body = Body::Remote(tool.clone(), Words::Changed);
        Some(Self { body, ..Self::remote(described, self.dialect) })
    }

    /// Returns the kinds of access that the tool can make at most. For an upstream tool, its server's claims
    /// are ignored.
    #[must_use]
    pub fn access(&self) -> &'static [Access] {
        match &self.body {
            Body::Own(tool) => tool.access,
            Body::Remote(..) => &[Access::Bridges],
        }
    }

    /// Returns the effect of the tool's writes on existing content. An upstream tool counts as able to do
    /// anything.
    #[must_use]
    pub fn effect(&self) -> Effect {
        match &self.body {
            Body::Own(tool) => tool.effect,
            Body::Remote(..) => Effect::Changes,
        }
    }

    /// Returns the name of the engine operation that implements the tool.
    #[must_use]
    pub fn operation(&self) -> &'static str {
        match &self.body {
            Body::Own(tool) => tool.operation,
            Body::Remote(..) => bridged::OPERATION,
        }
    }

    /// Returns true if the tool neither writes, nor calls upstream tools, nor delegates.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        !self
            .access()
            .iter()
            .any(|access| matches!(access, Access::Writes | Access::Bridges | Access::Delegates))
    }

    /// Returns the schema of the tool's structured output.
    #[must_use]
    pub fn output_schema(&self) -> Value {
        match &self.body {
            Body::Own(tool) => (tool.output_schema)(),
            Body::Remote(..) => bridged::output_schema(),
        }
    }

    /// Returns true if a name refers to this tool: the published name, the name or an alias in its dialect, or the
    /// name after the dialect's name and `_`.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.answers_to(name) || self.is_called_in_full(name)
    }

    /// Returns true if the tool has this name or alias in its dialect.
    pub(crate) fn answers_to(&self, name: &str) -> bool {
        match &self.body {
            Body::Own(tool) => tool.answers_to(name),
            Body::Remote(tool, _) => tool.shown() == name,
        }
    }

    /// Returns true if a name consists of the dialect's name, `_`, and the tool's name in the dialect.
    pub(crate) fn is_called_in_full(&self, name: &str) -> bool {
        let rest = name.strip_prefix(self.dialect.name).and_then(|rest| rest.strip_prefix('_'));
        rest.is_some_and(|rest| self.answers_to(rest))
    }

    /// Lists the arguments in a call that the tool does not accept, one sentence for each object; empty for
    /// upstream tools.
    #[must_use]
    pub fn unknown_arguments(&self, arguments: &Value) -> Vec<String> {
        if let Body::Remote(..) = self.body {
            return Vec::new();
        }
        // If the arguments cannot be decoded, the call itself reports why.
        let Ok(decoded) = toolpost_tool::decode(arguments.clone(), &self.definition.full_schema) else {
            return Vec::new();
        };
        decoded.unknown().into_iter().map(str::to_owned).collect()
    }

    /// Decodes the arguments of a call, and lowers them to an operation.
    pub(crate) fn prepare(&self, arguments: Value, at: &Lowering) -> Result<DecodedCall, Failure> {
        match &self.body {
            Body::Own(tool) => tool.prepare(arguments, &self.definition.full_schema, at),
            Body::Remote(tool, words) => {
                let mut prepared = bridged::prepare(tool, arguments, at)?;
                if *words == Words::Changed {
                    let server = &tool.server;
                    prepared.notes.push(format!(
                        "the MCP server {server} has changed this tool's description since Toolpost \
                         first read it, in this session or an earlier one"
                    ));
                }
                Ok(prepared)
            }
        }
    }
}
