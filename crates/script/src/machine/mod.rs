//! The interpreter of one script, on the script's own thread.

mod errors;
mod functions;
mod rejections;

use crate::{
    Fault, Reply, Why, conversion, prepare,
    task::{Request, Script, Shared},
};
use rejections::PendingRejections;
use rquickjs::{
    CatchResultExt, Context, Ctx, Error, Function, Object, Promise, Runtime, Value, context::EvalOptions,
    promise::PromiseState,
};
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;

/// The script that removes and guards built-ins.
const GUARDS: &str = include_str!("guards.js");
/// The names of sources in the traces of errors.
const SCRIPT: &str = "script.js";
const WRAPPED: &str = "wrapped.js";
const LIBRARY: &str = "library.js";
/// Number of allocated bytes that starts a search for cycles.
const CYCLES: usize = 4 * 1024 * 1024;

/// Runs a script to its end.
pub(crate) fn run(
    script: &Script,
    shared: &Arc<Shared>,
    ask: UnboundedSender<Request>,
) -> Result<Reply, Fault> {
    let source = prepare::prepared(&script.source);
    if source.len() > shared.limits.source {
        let message =
            format!("it has {} bytes, and {} are the most it may have", source.len(), shared.limits.source);
        return Err(Fault::new(Why::Syntax, message));
    }
    shared.watch.start();
    let made = machine(shared);
    let (runtime, context) = made.map_err(|error| Fault::new(Why::Heap, error.to_string()))?;
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

/// The functions of the guards: description of errors and formatting of values.
struct Helpers<'js> {
    describe: Function<'js>,
    encode: Function<'js>,
}

/// Installs the host's functions, then the guards; afterwards no built-in can be changed.
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

/// A running script.
struct Machine<'a, 'js> {
    ctx: &'a Ctx<'js>,
    helpers: Helpers<'js>,
    shared: &'a Shared,
    pending: &'a PendingRejections,
}

impl<'js> Machine<'_, 'js> {
    fn evaluate(&self, source: &str) -> Result<Reply, Fault> {
        let lines = u32::try_from(source.lines().count()).unwrap_or(u32::MAX);
        let (promise, wrapped) = match self.begin(source) {
            Ok(begun) => begun,
            Err(fault) => {
                // A script that does not parse may have been encoded for HTML.
                let decoded = prepare::decoded(source).and_then(|source| self.begin(&source).ok());
                decoded.ok_or(fault)?
            }
        };
        let value = self.settled(&promise, lines)?;
        // Without a `return`, the final value counts only if it is a promise: an async function that was called.
        let value = match wrapped {
            Wrapped::Yes => value,
            Wrapped::No => {
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

    /// Starts the script: unchanged, or within a function if it returns.
    fn begin(&self, source: &str) -> Result<(Promise<'js>, Wrapped), Fault> {
        if let Ok(promise) = self.parsed(source, SCRIPT) {
            return Ok((promise, Wrapped::No));
        }
        if self.shared.watch.stopped().is_some() {
            return Err(Fault::new(Why::Compute, "it had to stop"));
        }
        let within = format!("(async function () {{\n{source}\n}})()");
        let lines = u32::try_from(source.lines().count()).unwrap_or(u32::MAX);
        match self.parsed(&within, WRAPPED) {
            Ok(outer) => match self.settled(&outer, lines)?.into_object() {
                Some(last) => match last.get::<_, Value>("value").ok().and_then(Value::into_promise) {
                    Some(promise) => Ok((promise, Wrapped::Yes)),
                    None => Err(Fault::new(Why::Syntax, "it closes more than it opens")),
                },
                None => Err(Fault::new(Why::Syntax, "it closes more than it opens")),
            },
            Err(reason) => Err(Fault { why: Why::Syntax, ..self.described(reason, lines) }),
        }
    }

    /// Parses a source, and runs it to its first `await`.
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

    /// Runs pending jobs until a promise is settled.
    fn settled(&self, promise: &Promise<'js>, lines: u32) -> Result<Value<'js>, Fault> {
        loop {
            if self.shared.watch.looks() {
                return Err(Fault::new(Why::Time, "it had to stop"));
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
                        let message = "it waits for a promise that nothing settles any more";
                        return Err(Fault::new(Why::Waiting, message));
                    }
                }
            }
        }
    }

    /// Runs all pending jobs.
    fn drain(&self) {
        while !self.shared.watch.looks() && self.ctx.execute_pending_job() {}
    }

    /// Describes a thrown value with its position.
    fn described(&self, reason: Value<'js>, lines: u32) -> Fault {
        if reason.is_null() {
            let message = "null was thrown, as it is where there is no memory left for an error";
            return Fault::new(Why::Heap, message);
        }
        let described = self.helpers.describe.call::<_, String>((reason,)).catch(self.ctx);
        match described {
            Ok(text) => errors::fault(&text, lines),
            Err(_) => Fault::new(Why::Thrown, "an error was thrown that cannot be described"),
        }
    }

    fn encoded(&self, value: Value<'js>, lines: u32) -> Result<Reply, Fault> {
        let text = self.helpers.encode.call::<_, String>((value, self.shared.limits.value));
        match text {
            Ok(text) => Ok(conversion::value(&text).unwrap_or(Reply::Nothing)),
            Err(_) => Err(self.described(self.ctx.catch(), lines)),
        }
    }
}

/// The form of a script: at the top level, or within a function so that it can return.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrapped {
    Yes,
    No,
}
