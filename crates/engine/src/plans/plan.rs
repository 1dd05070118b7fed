//! The `plan` operation: runs a script that calls tools as functions.

mod caller;

use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::{Failure, Kind, convert::sentence},
    operation::Operation,
    plans::{Plans, function_names},
};
use caller::Caller;
use schemars::JsonSchema;
use serde::Serialize;
use std::{sync::Arc, time::Duration};
use toolpost_script::{Limits, Reply, Script, prepared, run};
use toolpost_workspace::unique;

pub use toolpost_script::{ScriptError, ScriptErrorKind};

/// The library of every script: the tools as functions, and helpers for lists and texts.
const LIBRARY: &str = include_str!("plan/library.js");

/// The `plan` operation, which runs a script.
pub struct Plan;

/// A script, its library and its limits.
#[derive(Debug, Clone)]
pub struct Request {
    /// The script, as the caller wrote it.
    pub code: String,
    /// JavaScript functions that the dialect adds to the library of every script; `None` if it adds none.
    pub library: Option<String>,
    /// The tools that return the next part of their answer if the same call is repeated.
    pub paged: Vec<PagedTool>,
    /// The limits of the script.
    pub limits: Limits,
    /// Maximum size of the reply of each call, in bytes.
    pub reply_bytes: usize,
}

/// A tool that returns the next part of its answer if the same call is repeated with the same session name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PagedTool {
    /// The name of the tool.
    pub tool: String,
    /// The argument that takes the session name.
    pub argument: String,
}

/// The result of a script.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The return value: a string verbatim, any other value as JSON; `None` if the script returned nothing.
    pub value: Option<String>,
    /// The log lines, in order.
    pub logs: Vec<String>,
    /// Number of log lines that were left out.
    pub logs_left_out: usize,
    /// The lines that the script wrote with `output`, in order.
    pub outputs: Vec<String>,
    /// Number of output lines that were left out.
    pub outputs_left_out: usize,
    /// The reason why the script stopped early, if it did. Changes that its calls made before are not undone.
    pub stopped: Option<ScriptError>,
    /// Number of calls by the script.
    pub calls: usize,
    /// Number of calls that failed.
    pub failed: usize,
    /// The script's run time, in milliseconds.
    pub elapsed_ms: u64,
}

impl Operation for Plan {
    const NAME: &'static str = "plan";
    const ACCESS: &'static [Access] =
        &[Access::Reads, Access::Writes, Access::Executes, Access::Fetches, Access::Calls];
    type Capability = Plans;
    type Request = Request;
    type Output = Output;

    /// A script itself needs no permission: the rules check the accesses of each of its calls.
    fn touches(_request: &Request) -> Vec<Touch> {
        Vec::new()
    }

    async fn run(plans: &Plans, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let gateway = Arc::clone(cx.gateway()?);
        if prepared(&request.code).trim().is_empty() {
            return Err(Failure::invalid("The script is empty, so nothing was run."));
        }
        let session = format!("plan-{}", unique());
        let wall = cx.time_left(request.limits.wall);
        let mut rows: Vec<Vec<String>> = vec![
            vec!["session".to_owned(), session],
            vec!["calls".to_owned(), request.limits.calls.to_string()],
        ];
        rows.extend(
            request.paged.into_iter().map(|paged| vec!["paged".to_owned(), paged.tool, paged.argument]),
        );
        let tools = gateway.tools();
        let functions = function_names::of(&tools);
        let tools = tools.into_iter().zip(functions);
        rows.extend(tools.map(|(tool, function)| vec!["tool".to_owned(), tool.name, tool.schema, function]));
        let script = Script {
            source: request.code,
            libraries: std::iter::once(LIBRARY.to_owned()).chain(request.library).collect(),
            rows,
            limits: Limits { wall, ..request.limits },
        };
        let caller = Caller::new(plans, gateway, cx, request.reply_bytes, wall);
        let ended = run(script, Arc::new(caller), cx.cancel.child_token()).await;
        let (value, stopped) = match ended.value {
            Ok(Reply::Text(text) | Reply::Json(text)) => (Some(text), None),
            Ok(Reply::Nothing) => (None, None),
            Err(fault) => (None, Some(stopped(fault)?)),
        };
        Ok(Output {
            value,
            logs: ended.logs.lines,
            logs_left_out: ended.logs.left_out,
            outputs: ended.outputs.lines,
            outputs_left_out: ended.outputs.left_out,
            stopped,
            calls: ended.used.calls,
            failed: ended.used.failed,
            elapsed_ms: milliseconds(ended.used.wall),
        })
    }
}

/// Returns the reason why a script stopped, or a failure if it never started.
fn stopped(fault: ScriptError) -> Result<ScriptError, Failure> {
    match fault.why {
        ScriptErrorKind::Syntax => {
            let (place, message) = (fault.place(), fault.message);
            let what = format!("The script cannot be parsed{place}: {message}. Nothing was run.");
            Err(Failure::invalid(what))
        }
        ScriptErrorKind::Busy => Err(Failure::new(Kind::Conflict, sentence(&fault.message))),
        ScriptErrorKind::Unavailable => Err(Failure::invalid(sentence(&fault.message))),
        ScriptErrorKind::Thrown
        | ScriptErrorKind::Compute
        | ScriptErrorKind::Time
        | ScriptErrorKind::Heap
        | ScriptErrorKind::Stack
        | ScriptErrorKind::Calls
        | ScriptErrorKind::Waiting
        | ScriptErrorKind::Cancelled => Ok(fault),
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
