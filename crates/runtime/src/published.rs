//! A tool as clients see it, whoever does its work.

use crate::bridged;
use serde_json::Value;
use toolpost_engine::{Access, Effect, Failure, RemoteTool};
use toolpost_tool::{Dialect, Lowering, Manual, Prepared, ToolDef, published};

/// A tool as clients see it.
pub struct Published {
    /// The name; prefixed by the dialect where two dialects have the same one.
    pub name: String,
    /// The dialect that speaks.
    pub dialect: &'static Dialect,
    /// The first paragraph of the tool's page, or what another server says of it.
    pub description: String,
    /// The schema of the arguments.
    pub schema: Value,
    /// The schema with aliases and unlisted arguments, for decoding.
    full_schema: Value,
    body: Body,
}

/// Who does the work.
enum Body {
    /// The engine, by a row of the dialect's table.
    Own(&'static ToolDef),
    /// Another server; how it describes the tool may have changed since it was connected.
    Remote(RemoteTool, Words),
}

/// Whether another server describes a tool as it did at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Words {
    /// It does.
    First,
    /// It has changed them.
    Changed,
}

/// A tool of another server, as that server describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Described {
    /// The tool.
    pub tool: RemoteTool,
    /// The name under which it is published.
    pub name: String,
    /// What the server says of it.
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

    /// Publishes a tool of another server, in the words of a dialect.
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

    /// Gives the tool marked as changed, if it is described otherwise than an earlier one of the same name, or that one is marked.
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

    /// Gives what the tool can touch at most; what another server says of its own tools is not asked.
    #[must_use]
    pub fn access(&self) -> &'static [Access] {
        match &self.body {
            Body::Own(tool) => tool.access,
            Body::Remote(..) => &[Access::Bridges],
        }
    }

    /// Gives what the tool's writes do to what exists; another server's tools may do anything.
    #[must_use]
    pub fn effect(&self) -> Effect {
        match &self.body {
            Body::Own(tool) => tool.effect,
            Body::Remote(..) => Effect::Changes,
        }
    }

    /// Names the operation behind it.
    #[must_use]
    pub fn operation(&self) -> &'static str {
        match &self.body {
            Body::Own(tool) => tool.operation,
            Body::Remote(..) => bridged::OPERATION,
        }
    }

    /// Tells whether the tool only ever reads.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        !self
            .access()
            .iter()
            .any(|access| matches!(access, Access::Writes | Access::Bridges | Access::Delegates))
    }

    /// Gives the schema of the structured output.
    #[must_use]
    pub fn output_schema(&self) -> Value {
        match &self.body {
            Body::Own(tool) => (tool.output_schema)(),
            Body::Remote(..) => bridged::output_schema(),
        }
    }

    /// Tells whether a name means this tool: published, the dialect's own, or `dialect_name`.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.answers_to(name) || self.is_called_in_full(name)
    }

    /// Tells whether the tool answers to a name in its dialect.
    pub(crate) fn answers_to(&self, name: &str) -> bool {
        match &self.body {
            Body::Own(tool) => tool.answers_to(name),
            Body::Remote(tool, _) => tool.shown() == name,
        }
    }

    /// Tells whether a name is the dialect's name and the tool's.
    pub(crate) fn is_called_in_full(&self, name: &str) -> bool {
        let rest = name.strip_prefix(self.dialect.name).and_then(|rest| rest.strip_prefix('_'));
        rest.is_some_and(|rest| self.answers_to(rest))
    }

    /// Lists the arguments that the tool does not have, in a sentence for each object; empty for tools of other servers.
    #[must_use]
    pub fn unknown_arguments(&self, arguments: &Value) -> Vec<String> {
        if let Body::Remote(..) = self.body {
            return Vec::new();
        }
        // Arguments that cannot be decoded fail in the call, with their own reasons.
        let Ok(decoded) = toolpost_tool::decode(arguments.clone(), &self.full_schema) else {
            return Vec::new();
        };
        decoded.unknown().into_iter().map(str::to_owned).collect()
    }

    /// Understands a call.
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
