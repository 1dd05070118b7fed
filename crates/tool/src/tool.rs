//! Tools: the names and argument shapes of operations in a dialect.

use crate::{Lowering, Page, decode, schema};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::{future::Future, pin::Pin};
use toolpost_engine::{Access, CallCtx, Effect, Engine, Failure, Operation, RunsOn, Seen, Touch};
use toolpost_text::cut::Limit;

/// The name and the argument shape of an operation in one dialect.
pub trait Tool: 'static {
    /// The published name.
    const NAME: &'static str;
    /// Other accepted names; they are not advertised.
    const ALIASES: &'static [&'static str] = &[];
    /// The operation of the engine.
    type Op: RunsOn<Engine>;
    /// The arguments; the published schema is generated from this type alone.
    type Args: DeserializeOwned + JsonSchema + Send;

    /// Converts the arguments to a request of the operation.
    ///
    /// # Errors
    /// A failure of kind `Invalid` or `Outside`; it never reveals whether a file exists.
    fn lower(args: Self::Args, at: &Lowering) -> Result<<Self::Op as Operation>::Request, Failure>;

    /// Renders the output.
    fn render(output: &<Self::Op as Operation>::Output, page: &mut Page);

    /// Rewords a failure, if the dialect's reference fixes its wording.
    #[must_use]
    fn reword(failure: Failure) -> Failure {
        failure
    }
}

/// A decoded call: its accesses, and a function to run it.
pub struct Prepared {
    /// The operation's name.
    pub operation: &'static str,
    /// The accesses that the call needs.
    pub touches: Vec<Touch>,
    /// Runs it.
    pub run: Run,
    /// Notes about the arguments, in a sentence each.
    pub notes: Vec<String>,
}

/// A function that runs a prepared call.
pub type Run = Box<dyn for<'a> FnOnce(&'a Engine, &'a CallCtx) -> Running<'a> + Send>;
/// A running call.
pub type Running<'a> = Pin<Box<dyn Future<Output = Result<Done, Failure>> + Send + 'a>>;

/// The result of a call.
pub struct Done {
    /// The rendered reply.
    pub page: Page,
    /// The operation's output as data, if it was requested.
    pub structured: Option<Value>,
    /// The files that the caller has now seen.
    pub seen: Vec<Seen>,
}

/// An entry in a dialect's tool table.
#[derive(Clone, Copy)]
pub struct ToolDef {
    /// The published name.
    pub name: &'static str,
    /// Other accepted names.
    pub aliases: &'static [&'static str],
    /// The operation's name.
    pub operation: &'static str,
    /// The most that it can access.
    pub access: &'static [Access],
    /// The effect of its writes on existing data.
    pub effect: Effect,
    /// Generates the whole schema of the arguments, with its unpublished parts.
    pub schema: fn() -> Value,
    /// Generates the schema of the structured output.
    pub output_schema: fn() -> Value,
    prepare: fn(Value, &Value, &Lowering) -> Result<Prepared, Failure>,
}

impl ToolDef {
    /// Creates the entry of a tool.
    #[must_use]
    pub const fn of<T: Tool>() -> Self {
        Self {
            name: T::NAME,
            aliases: T::ALIASES,
            operation: T::Op::NAME,
            access: T::Op::ACCESS,
            effect: T::Op::EFFECT,
            schema: schema::full::<T::Args>,
            output_schema: schema::output::<<T::Op as Operation>::Output>,
            prepare: prepare::<T>,
        }
    }

    /// Returns the same tool, published under another name.
    #[must_use]
    pub const fn published_as(self, name: &'static str) -> Self {
        Self { name, aliases: &[], ..self }
    }

    /// Decodes and lowers a call; `schema` is the tool's whole schema.
    ///
    /// # Errors
    /// A failure that names each wrong argument, or a path that is not allowed.
    pub fn prepare(&self, arguments: Value, schema: &Value, at: &Lowering) -> Result<Prepared, Failure> {
        (self.prepare)(arguments, schema, at)
    }

    /// Returns whether the tool accepts a name.
    #[must_use]
    pub fn answers_to(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}

fn prepare<T: Tool>(arguments: Value, schema: &Value, at: &Lowering) -> Result<Prepared, Failure> {
    let decoded = decode(arguments, schema)?;
    let args: T::Args = serde_json::from_value(Value::Object(decoded.arguments))
        .map_err(|error| Failure::invalid(format!("The arguments of {} do not fit: {error}.", T::NAME)))?;
    let request = T::lower(args, at)?;
    let (structured, limit) = (at.wants_structure(), at.limit());
    Ok(Prepared {
        operation: T::Op::NAME,
        touches: T::Op::touches(&request),
        run: Box::new(move |engine, cx| Box::pin(run::<T>(engine, cx, request, structured, limit))),
        notes: decoded.notes.into_iter().chain(at.notes()).collect(),
    })
}

async fn run<T: Tool>(
    engine: &Engine,
    cx: &CallCtx,
    request: <T::Op as Operation>::Request,
    structured: bool,
    limit: Limit,
) -> Result<Done, Failure> {
    let output = engine.run::<T::Op>(request, cx).await.map_err(T::reword)?;
    let mut page = Page::within(limit);
    T::render(&output, &mut page);
    let structured = structured.then(|| serde_json::to_value(&output)).transpose().map_err(|error| {
        Failure::new(
            toolpost_engine::Kind::Internal,
            format!("The output could not be written as JSON: {error}."),
        )
    })?;
    Ok(Done { page, structured, seen: T::Op::seen(&output) })
}
