//! The interpreter of one script, on the script's own thread.

mod errors;
mod functions;
mod rejections;

use crate::{
    Reply, ScriptError, ScriptErrorKind, conversion, prepare,
    task::{Request, Script, Shared},
};
use rejections::PendingRejections;
use rquickjs::{
    CatchResultExt, Context, Ctx, Error, Function, Object, Promise, Runtime, Value, context::EvalOptions,
    promise::PromiseState,
};
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;

/// The JavaScript source that removes, limits and freezes built-in objects before the script runs.
const GUARDS: &str = include_str!("guards.js");
/// The names in stack traces of the script, of the script inside a function, and of libraries.
const SCRIPT: &str = "script.js";
const WRAPPED: &str = "wrapped.js";
const LIBRARY: &str = "library.js";
/// Number of allocated bytes after which the JavaScript runtime collects reference cycles.
const CYCLES: usize = 4 * 1024 * 1024;

/// Runs a script until it ends or must stop.
pub(crate) fn run(
    script: &Script,
    shared: &Arc<Shared>,
    ask: UnboundedSender<Request>,
) -> Result<Reply, ScriptError> {
    let source = prepare::prepared(&script.source);
    if source.len() > shared.limits.source {
        let message = format!("it has {} bytes, and the maximum is {}", source.len(), shared.limits.source);
        return Err(ScriptError::new(ScriptErrorKind::Syntax, message));
    }
    shared.watch.start();
    let made = machine(shared);
    let (runtime, context) =
        made.map_err(|error| ScriptError::new(ScriptErrorKind::Heap, error.to_string()))?;
    let pending = PendingRejections::default();
    pending.watch(&runtime);
    let value = context.with(|ctx| {
        let ready = set_up(&ctx, script, shared, ask);
        let helpers = ready.map_err(|error| errors::plain(&ctx, &error))?;
        let machine = Machine { ctx: &ctx, helpers, shared, pending: &pending };
        let value = machine.evaluate(source);
        pending.forget();
        value
    });
    runtime.set_host_promise_rejection_tracker(None);
    shared.watch.begin();
    match shared.watch.fault(&shared.limits) {
        Some(fault) => Err(fault),
        None => value,
    }
}

fn machine(shared: &Arc<Shared>) -> rquickjs::Result<(Runtime, Context)> {
    let runtime = Runtime::new()?;
    runtime.set_memory_limit(shared.limits.heap);
    runtime.set_max_stack_size(shared.limits.stack);
    runtime.set_gc_threshold(CYCLES);
    let own = shared.clone();
    runtime.set_interrupt_handler(Some(Box::new(move || own.watch.looks())));
    let context = Context::full(&runtime)?;
    Ok((runtime, context))
}

/// The functions of `guards.js` that describe thrown values and encode return values.
struct Helpers<'js> {
    describe: Function<'js>,
    encode: Function<'js>,
}

/// Installs the host functions and libraries, and then freezes the global objects, so that the script can change no
/// built-in.
fn set_up<'js>(
    ctx: &Ctx<'js>,
    script: &Script,
    shared: &Arc<Shared>,
    ask: UnboundedSender<Request>,
) -> rquickjs::Result<Helpers<'js>> {
    let host = functions::host(ctx, shared, ask)?;
    let rows: Value = ctx.json_parse(conversion::rows(&script.rows))?;
    let helpers: Object = evaluate(ctx, GUARDS, LIBRARY)?;
    let globals = Object::new(ctx.clone())?;
    let add: Function = helpers.get("add")?;
    for library in &script.libraries {
        let library: Function = evaluate(ctx, library, LIBRARY)?;
        let more: Value = library.call((host.clone(), rows.clone(), globals.clone()))?;
        add.call::<_, ()>((globals.clone(), more))?;
    }
    helpers.get::<_, Function>("seal")?.call::<_, ()>((host, globals))?;
    Ok(Helpers { describe: helpers.get("describe")?, encode: helpers.get("encode")? })
}

fn evaluate<'js, T: rquickjs::FromJs<'js>>(ctx: &Ctx<'js>, source: &str, name: &str) -> rquickjs::Result<T> {
    let mut options = EvalOptions::default();
    options.filename = Some(name.to_owned());
    ctx.eval_with_options(source, options)
}

/// Creates the failure for a script whose brackets do not match, so that the function around it does not parse.
fn ended_early(source: &str) -> ScriptError {
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let last = source.lines().last().unwrap_or_default();
    let end = (number(source.lines().count()), number(last.chars().count() + 1));
    ScriptError::new(
        ScriptErrorKind::Syntax,
        "SyntaxError: unclosed expression or block, or unmatched closing bracket",
    )
    .at(Some(end))
}

/// A running script with its JavaScript context.
struct Machine<'a, 'js> {
    ctx: &'a Ctx<'js>,
    helpers: Helpers<'js>,
    shared: &'a Shared,
    pending: &'a PendingRejections,
}

impl<'js> Machine<'_, 'js> {
    fn evaluate(&self, source: &str) -> Result<Reply, ScriptError> {
        let lines = u32::try_from(source.lines().count()).unwrap_or(u32::MAX);
        let (promise, wrapped) = match self.begin(source) {
            Ok(begun) => begun,
            Err(fault) => {
                // A script that does not parse may contain HTML entities, so it is tried again with these decoded.
                let decoded = prepare::decoded(source).and_then(|source| self.begin(&source).ok());
                decoded.ok_or(fault)?
            }
        };
        let value = self.settled(&promise, lines)?;
        // Without a `return`, the value of the last statement is the result only if it is a promise, such as that of a
        // call of an async function `main`.
        let value = match wrapped {
            FunctionWrapping::Yes => value,
            FunctionWrapping::No => {
                let last = value.into_object().and_then(|last| last.get::<_, Value>("value").ok());
                match last.and_then(Value::into_promise) {
                    Some(promise) => self.settled(&promise, lines)?,
                    None => Value::new_undefined(self.ctx.clone()),
                }
            }
        };
        self.drain();
        if let Some(reason) = self.pending.first(self.ctx) {
            return Err(self.described(reason, lines));
        }
        self.encoded(value, lines)
    }

    /// Starts the script at the top level. If it does not parse there, it may have a top-level `return`, so it is
    /// started inside a function.
    fn begin(&self, source: &str) -> Result<(Promise<'js>, FunctionWrapping), ScriptError> {
        if let Ok(promise) = self.parsed(source, SCRIPT) {
            return Ok((promise, FunctionWrapping::No));
        }
        if self.shared.watch.stopped().is_some() {
            return Err(ScriptError::new(ScriptErrorKind::Compute, "the script was stopped"));
        }
        let within = format!("(async function () {{\n{source}\n}})()");
        let lines = u32::try_from(source.lines().count()).unwrap_or(u32::MAX);
        match self.parsed(&within, WRAPPED) {
            Ok(outer) => match self.settled(&outer, lines)?.into_object() {
                Some(last) => match last.get::<_, Value>("value").ok().and_then(Value::into_promise) {
                    Some(promise) => Ok((promise, FunctionWrapping::Yes)),
                    None => {
                        Err(ScriptError::new(ScriptErrorKind::Syntax, "it has an unmatched closing bracket"))
                    }
                },
                None => Err(ScriptError::new(ScriptErrorKind::Syntax, "it has an unmatched closing bracket")),
            },
            // An error in the line after the script means that the script closed the function around it, or did not
            // close a bracket.
            Err(reason) => Err(match self.described(reason, lines + 1) {
                ScriptError { line: Some(line), .. } if line > lines => ended_early(source),
                fault => ScriptError { why: ScriptErrorKind::Syntax, ..fault },
            }),
        }
    }

    /// Parses a source text and runs it to its first `await`. On failure, returns the thrown value.
    fn parsed(&self, source: &str, name: &str) -> Result<Promise<'js>, Value<'js>> {
        let mut options = EvalOptions::default();
        (options.strict, options.promise) = (false, true);
        options.filename = Some(name.to_owned());
        match self.ctx.eval_with_options(source, options) {
            Ok(promise) => Ok(promise),
            Err(Error::Exception) => Err(self.ctx.catch()),
            Err(error) => Err(errors::thrown(self.ctx, &error.to_string())),
        }
    }

    /// Runs pending jobs of the JavaScript runtime until a promise is settled. Returns its value.
    fn settled(&self, promise: &Promise<'js>, lines: u32) -> Result<Value<'js>, ScriptError> {
        loop {
            if self.shared.watch.looks() {
                return Err(ScriptError::new(ScriptErrorKind::Time, "the script was stopped"));
            }
            match promise.state() {
                PromiseState::Resolved => {
                    let value = promise.result::<Value>().unwrap_or(Err(Error::Unknown));
                    return value.map_err(|error| errors::plain(self.ctx, &error));
                }
                PromiseState::Rejected => {
                    self.pending.handled(self.ctx, promise.as_value());
                    let reason = match promise.result::<Value>() {
                        Some(Err(_)) => self.ctx.catch(),
                        _ => Value::new_undefined(self.ctx.clone()),
                    };
                    return Err(self.described(reason, lines));
                }
                PromiseState::Pending => {
                    if !self.ctx.execute_pending_job() {
                        let message = "it waits for a promise that nothing can settle";
                        return Err(ScriptError::new(ScriptErrorKind::Waiting, message));
                    }
                }
            }
        }
    }

    /// Runs all pending jobs of the JavaScript runtime, unless the script must stop.
    fn drain(&self) {
        while !self.shared.watch.looks() && self.ctx.execute_pending_job() {}
    }

    /// Creates a failure from a thrown value, with its position in the script.
    fn described(&self, reason: Value<'js>, lines: u32) -> ScriptError {
        if reason.is_null() {
            let message = "`null` was thrown, usually because no memory was left to create an error";
            return ScriptError::new(ScriptErrorKind::Heap, message);
        }
        let described = self.helpers.describe.call::<_, String>((reason,)).catch(self.ctx);
        match described {
            Ok(text) => errors::fault(&text, lines),
            Err(_) => {
                ScriptError::new(ScriptErrorKind::Thrown, "an error was thrown that cannot be described")
            }
        }
    }

    fn encoded(&self, value: Value<'js>, lines: u32) -> Result<Reply, ScriptError> {
        let text = self.helpers.encode.call::<_, String>((value, self.shared.limits.value));
        match text {
            Ok(text) => Ok(conversion::value(&text).unwrap_or(Reply::Nothing)),
            Err(_) => Err(self.described(self.ctx.catch(), lines)),
        }
    }
}

/// `Yes` if the script runs inside a function, so that it can use `return` at its top level.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FunctionWrapping {
    Yes,
    No,
}
