//! What one dialect calls one operation.

use crate::{Lowering, Page, decode, schema};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::{future::Future, pin::Pin};
use toolpost_engine::{Access, CallCtx, Effect, Engine, Failure, Operation, RunsOn, Seen, Touch};
use toolpost_text::cut::Limit;

/// A name and a shape for an operation, in one dialect.
pub trait Tool: 'static {
    /// The published name.
    const NAME: &'static str;
    /// Other names it answers to; they are not advertised.
    const ALIASES: &'static [&'static str] = &[];
    /// What it asks the engine to do.
    type Op: RunsOn<Engine>;
    /// What the model says; the published schema comes from this, only from this.
    type Args: DeserializeOwned + JsonSchema + Send;

    /// Turns what was said into what is meant.
    ///
    /// # Errors
    /// A failure of kind `Invalid` or `Outside`; it never tells whether a file exists.
    fn lower(args: Self::Args, at: &Lowering) -> Result<<Self::Op as Operation>::Request, Failure>;

    /// Words the output.
    fn render(output: &<Self::Op as Operation>::Output, page: &mut Page);

    /// Words why the operation did not happen, where the dialect's reference fixes the words.
    #[must_use]
    fn reword(failure: Failure) -> Failure {
        failure
    }
}

/// A call that was understood: what it would touch, and how to run it.
pub struct Prepared {
    /// The operation's name.
    pub operation: &'static str,
    /// What it would touch.
    pub touches: Vec<Touch>,
    /// Runs it.
    pub run: Run,
    /// What was odd about the arguments, in a sentence each.
    pub notes: Vec<String>,
}

/// Runs a prepared call.
pub type Run = Box<dyn for<'a> FnOnce(&'a Engine, &'a CallCtx) -> Running<'a> + Send>;
/// A prepared call that runs.
pub type Running<'a> = Pin<Box<dyn Future<Output = Result<Done, Failure>> + Send + 'a>>;

/// What came of a call.
pub struct Done {
    /// The words.
    pub page: Page,
    /// The operation's output as data, where it was asked for.
    pub structured: Option<Value>,
    /// Which files the caller has now seen.
    pub seen: Vec<Seen>,
}

/// A row of a dialect's table.
#[derive(Clone, Copy)]
pub struct ToolDef {
    /// The published name.
    pub name: &'static str,
    /// Other names it answers to.
    pub aliases: &'static [&'static str],
    /// The operation's name.
    pub operation: &'static str,
    /// What it can touch at most.
    pub access: &'static [Access],
    /// What its writes do to what exists.
    pub effect: Effect,
    /// Makes the whole schema of the arguments, with what is not published.
    pub schema: fn() -> Value,
    /// Makes the schema of the structured output.
    pub output_schema: fn() -> Value,
    prepare: fn(Value, &Value, &Lowering) -> Result<Prepared, Failure>,
}

impl ToolDef {
    /// Makes the row of a tool.
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

    /// Gives the same tool another name under which it is published, too.
    #[must_use]
    pub const fn published_as(self, name: &'static str) -> Self {
        Self { name, aliases: &[], ..self }
    }

    /// Understands a call: arguments as they were sent, against the tool's whole schema.
    ///
    /// # Errors
    /// A failure that names each wrong argument, or where a path may not lead.
    pub fn prepare(&self, arguments: Value, schema: &Value, at: &Lowering) -> Result<Prepared, Failure> {
        (self.prepare)(arguments, schema, at)
    }

    /// Tells whether the tool answers to a name.
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
