//! Tools: the names and argument shapes of operations in a dialect.

use crate::{Lowering, Page, argument_names, decode, schema};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::{future::Future, pin::Pin};
use toolpost_engine::{
    Access, CallCtx, Effect, Engine, Failure, Hint, Operation, RunsOn, SeenContent, Touch,
};
use toolpost_text::cut::Limit;

/// The name and the argument shape of an operation in one dialect.
pub trait Tool: 'static {
    /// The published name.
    const NAME: &'static str;
    /// Other accepted names; they are not advertised.
    const ALIASES: &'static [&'static str] = &[];
    /// The operation of the engine.
    type Op: RunsOn<Engine>;
    /// The arguments; the published schema is generated only from this type.
    type Args: DeserializeOwned + JsonSchema + Send;

    /// Converts the arguments to a request of the operation; `at` resolves paths and collects notes.
    ///
    /// # Errors
    /// A failure of kind `Invalid` or `Outside`; it never reveals whether a file exists.
    fn lower(args: Self::Args, at: &Lowering) -> Result<<Self::Op as Operation>::Request, Failure>;

    /// Renders the output.
    fn render(output: &<Self::Op as Operation>::Output, page: &mut Page);

    /// Rewords a failure of `lower`, of the check that the session has seen the content to overwrite, or of the
    /// operation, for example because the tools that the dialect reproduces fix the wording. Failures of decoding, such
    /// as a missing argument, are not passed to it. The default changes nothing.
    #[must_use]
    fn reword(failure: Failure) -> Failure {
        failure
    }
}

/// A decoded call: its accesses, and a function to run it.
pub struct DecodedCall {
    /// The operation's name.
    pub operation: &'static str,
    /// The accesses that the call needs.
    pub touches: Vec<Touch>,
    /// Runs the call.
    pub run: Run,
    /// Rewords the failure of a check before the operation, as [`Tool::reword`] does.
    pub reword: fn(Failure) -> Failure,
    /// Notes about the arguments; each is a clause.
    pub notes: Vec<String>,
}

/// A function that runs a prepared call.
pub type Run = Box<dyn for<'a> FnOnce(&'a Engine, &'a CallCtx) -> CallFuture<'a> + Send>;
/// A running call.
pub type CallFuture<'a> = Pin<Box<dyn Future<Output = Result<CallResult, Failure>> + Send + 'a>>;

/// The result of a call.
pub struct CallResult {
    /// The rendered reply.
    pub page: Page,
    /// The operation's output as data, if it was requested.
    pub structured: Option<Value>,
    /// The files that the caller has now seen.
    pub seen: Vec<SeenContent>,
}

/// An entry in a dialect's tool table.
#[derive(Clone, Copy)]
pub struct ToolDef {
    /// The published name.
    pub name: &'static str,
    /// Other accepted names.
    pub aliases: &'static [&'static str],
    /// The name of the original tool, if this tool is the same one, published under another name.
    pub same_as: Option<&'static str>,
    /// The operation's name.
    pub operation: &'static str,
    /// Every kind of access that the tool may need.
    pub access: &'static [Access],
    /// The effect of the tool's writes on existing data.
    pub effect: Effect,
    /// Generates the whole schema of the arguments, with its unpublished parts.
    pub schema: fn() -> Value,
    /// Generates the schema of the structured output.
    pub output_schema: fn() -> Value,
    prepare: fn(Value, &Value, &Lowering) -> Result<DecodedCall, Failure>,
    accepted_names: fn(&[&str]) -> Vec<&'static str>,
}

impl ToolDef {
    /// Creates the entry of a tool.
    #[must_use]
    pub const fn of<T: Tool>() -> Self {
        Self {
            name: T::NAME,
            aliases: T::ALIASES,
            same_as: None,
            operation: T::Op::NAME,
            access: T::Op::ACCESS,
            effect: T::Op::EFFECT,
            schema: schema::full::<T::Args>,
            output_schema: schema::output::<<T::Op as Operation>::Output>,
            prepare: prepare::<T>,
            accepted_names: argument_names::names::<T::Args>,
        }
    }

    /// Returns the same tool, published under another name.
    #[must_use]
    pub const fn published_as(self, name: &'static str) -> Self {
        Self { name, aliases: &[], same_as: Some(self.name), ..self }
    }

    /// Derives the published schema from the whole one. A tool that is published under another name gets no
    /// descriptions of parameters, because the original tool has them.
    #[must_use]
    pub fn published(&self, full: &Value) -> Value {
        let mut schema = schema::published(full);
        if self.same_as.is_some() {
            schema::drop_descriptions(&mut schema);
        }
        schema
    }

    /// Returns the names that the Rust type of the arguments accepts in the object at a path of field names.
    pub(crate) fn accepted_names(&self, path: &[&str]) -> Vec<&'static str> {
        (self.accepted_names)(path)
    }

    /// Decodes and lowers a call; `schema` is the tool's whole schema.
    ///
    /// # Errors
    /// A failure that names each wrong argument, or a path that is not allowed.
    pub fn prepare(&self, arguments: Value, schema: &Value, at: &Lowering) -> Result<DecodedCall, Failure> {
        (self.prepare)(arguments, schema, at)
    }

    /// Returns whether the tool accepts a name.
    #[must_use]
    pub fn answers_to(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}

fn prepare<T: Tool>(arguments: Value, schema: &Value, at: &Lowering) -> Result<DecodedCall, Failure> {
    let decoded = decode(arguments, schema)?;
    let args: T::Args = serde_json::from_value(Value::Object(decoded.arguments))
        .map_err(|error| Failure::invalid(format!("The arguments of {} are invalid: {error}.", T::NAME)))?;
    let say = at.say();
    let request = T::lower(args, at).map_err(|failure| T::reword(failure.completed(say)))?;
    let (structured, limit) = (at.wants_structure(), at.limit());
    Ok(DecodedCall {
        operation: T::Op::NAME,
        touches: T::Op::touches(&request),
        run: Box::new(move |engine, cx| Box::pin(run::<T>(engine, cx, request, structured, limit, say))),
        reword: T::reword,
        notes: decoded.notes.into_iter().chain(at.notes()).collect(),
    })
}

async fn run<T: Tool>(
    engine: &Engine,
    cx: &CallCtx,
    request: <T::Op as Operation>::Request,
    structured: bool,
    limit: Limit,
    say: fn(&Hint) -> String,
) -> Result<CallResult, Failure> {
    let reword = |failure: Failure| T::reword(failure.completed(say));
    let output = engine.run::<T::Op>(request, cx).await.map_err(reword)?;
    let mut page = Page::within(limit);
    T::render(&output, &mut page);
    let structured = structured.then(|| serde_json::to_value(&output)).transpose().map_err(|error| {
        Failure::new(
            toolpost_engine::Kind::Internal,
            format!("The output could not be written as JSON: {error}."),
        )
    })?;
    Ok(CallResult { page, structured, seen: T::Op::seen(&output) })
}
