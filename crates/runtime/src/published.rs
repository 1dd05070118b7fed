//! Published tools, from the engine or from upstream servers.

use crate::bridged;
use serde_json::Value;
use toolpost_engine::{Access, Effect, Failure, RemoteTool};
use toolpost_tool::{Dialect, Lowering, Manual, Prepared, ToolDef, published};

/// A tool as clients see it.
pub struct Published {
    /// The name; prefixed with the dialect if two dialects have the same one.
    pub name: String,
    /// The dialect of the tool.
    pub dialect: &'static Dialect,
    /// The first paragraph of the tool's page, or an upstream server's description.
    pub description: String,
    /// The schema of the arguments.
    pub schema: Value,
    /// The schema with aliases and unlisted arguments, for decoding.
    full_schema: Value,
    body: Body,
}

/// The implementation of a tool.
enum Body {
    /// The engine, through a row of the dialect's table.
    Own(&'static ToolDef),
    /// An upstream server; its description of the tool may have changed since it was connected.
    Remote(RemoteTool, Words),
}

/// The state of an upstream server's description of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Words {
    /// The first description.
    First,
    /// A description that has changed.
    Changed,
}

/// A tool of an upstream server, as that server describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Described {
    /// The tool.
    pub tool: RemoteTool,
    /// The published name.
    pub name: String,
    /// The server's description of it.
    pub description: String,
    /// The schema of its arguments.
    pub schema: Value,
}

impl Published {
    /// Publishes a row of a dialect's table.
    pub(crate) fn own(name: String, dialect: &'static Dialect, tool: &'static ToolDef) -> Self {
        let description = Manual::of_tool(dialect.pages, tool.name).map(|manual| manual.description);
        let full_schema = (tool.schema)();
        Self {
            name,
            dialect,
            description: description.unwrap_or_default(),
            schema: published(&full_schema),
            full_schema,
            body: Body::Own(tool),
        }
    }

    /// Publishes a tool of an upstream server under a dialect.
    pub(crate) fn remote(described: Described, dialect: &'static Dialect) -> Self {
        let Described { tool, name, description, schema } = described;
        Self {
            name,
            dialect,
            description,
            full_schema: schema.clone(),
            schema,
            body: Body::Remote(tool, Words::First),
        }
    }

    /// Returns the tool marked as changed, if its description differs from that of an earlier one of the same name, or
    /// the earlier one is marked.
    pub(crate) fn redescribed(&self, earlier: &Self) -> Option<Self> {
        let (Body::Remote(tool, _), Body::Remote(_, words)) = (&self.body, &earlier.body) else {
            return None;
        };
        let is_same = (&self.description, &self.schema) == (&earlier.description, &earlier.schema);
        (!is_same || *words == Words::Changed).then(|| Self {
            name: self.name.clone(),
            dialect: self.dialect,
            description: self.description.clone(),
            schema: self.schema.clone(),
            full_schema: self.full_schema.clone(),
            body: Body::Remote(tool.clone(), Words::Changed),
        })
    }

    /// Returns the most that the tool can access; an upstream server's own claims are ignored.
    #[must_use]
    pub fn access(&self) -> &'static [Access] {
        match &self.body {
            Body::Own(tool) => tool.access,
            Body::Remote(..) => &[Access::Bridges],
        }
    }

    /// Returns the effect of the tool's writes on existing content; upstream tools may do anything.
    #[must_use]
    pub fn effect(&self) -> Effect {
        match &self.body {
            Body::Own(tool) => tool.effect,
            Body::Remote(..) => Effect::Changes,
        }
    }

    /// Returns the name of the operation that implements it.
    #[must_use]
    pub fn operation(&self) -> &'static str {
        match &self.body {
            Body::Own(tool) => tool.operation,
            Body::Remote(..) => bridged::OPERATION,
        }
    }

    /// Returns true if the tool only ever reads.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        !self
            .access()
            .iter()
            .any(|access| matches!(access, Access::Writes | Access::Bridges | Access::Delegates))
    }

    /// Returns the schema of the structured output.
    #[must_use]
    pub fn output_schema(&self) -> Value {
        match &self.body {
            Body::Own(tool) => (tool.output_schema)(),
            Body::Remote(..) => bridged::output_schema(),
        }
    }

    /// Returns true if a name refers to this tool: the published name, the dialect's own, or `dialect_name`.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.answers_to(name) || self.is_called_in_full(name)
    }

    /// Returns true if the tool has this name in its dialect, or this alias.
    pub(crate) fn answers_to(&self, name: &str) -> bool {
        match &self.body {
            Body::Own(tool) => tool.answers_to(name),
            Body::Remote(tool, _) => tool.shown() == name,
        }
    }

    /// Returns true if a name consists of the dialect's name and the tool's.
    pub(crate) fn is_called_in_full(&self, name: &str) -> bool {
        let rest = name.strip_prefix(self.dialect.name).and_then(|rest| rest.strip_prefix('_'));
        rest.is_some_and(|rest| self.answers_to(rest))
    }

    /// Lists the arguments that the tool does not accept, one sentence for each object; empty for upstream tools.
    #[must_use]
    pub fn unknown_arguments(&self, arguments: &Value) -> Vec<String> {
        if let Body::Remote(..) = self.body {
            return Vec::new();
        }
        // If the arguments cannot be decoded, the call itself reports why.
        let Ok(decoded) = toolpost_tool::decode(arguments.clone(), &self.full_schema) else {
            return Vec::new();
        };
        decoded.unknown().into_iter().map(str::to_owned).collect()
    }

    /// Prepares a call.
    pub(crate) fn prepare(&self, arguments: Value, at: &Lowering) -> Result<Prepared, Failure> {
        match &self.body {
            Body::Own(tool) => tool.prepare(arguments, &self.full_schema, at),
            Body::Remote(tool, words) => {
                let mut prepared = bridged::prepare(tool, arguments, at)?;
                if *words == Words::Changed {
                    let server = &tool.server;
                    prepared.notes.push(format!(
                        "the server {server} has changed how it describes this tool since it was connected"
                    ));
                }
                Ok(prepared)
            }
        }
    }
}
