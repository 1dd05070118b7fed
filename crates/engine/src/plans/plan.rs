//! `plan`: a script in which tools are functions.

mod caller;

use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::{Failure, Kind, convert::sentence},
    operation::Operation,
    plans::Plans,
};
use caller::Caller;
use schemars::JsonSchema;
use serde::Serialize;
use std::{sync::Arc, time::Duration};
use toolpost_script::{Fault, Limits, Reply, Script, prepared, run};
use toolpost_workspace::unique;

/// What every script finds: the tools as functions, and what works on lists and texts.
const LIBRARY: &str = include_str!("plan/library.js");

/// Runs a script in which tools are functions.
pub struct Plan;

/// What to run, and with what.
#[derive(Debug, Clone)]
pub struct Request {
    /// The script, as it was said.
    pub code: String,
    /// More functions of JavaScript for it, in the dialect's own words.
    pub library: Option<String>,
    /// The tools that give the next part of their answer when they are asked the same again.
    pub paged: Vec<Paged>,
    /// What it may use up.
    pub limits: Limits,
    /// How many bytes the reply of each call may have.
    pub reply_bytes: usize,
}

/// A tool that goes on where it stopped when it is asked the same under the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paged {
    /// The name of the tool.
    pub tool: String,
    /// The argument that takes the name.
    pub argument: String,
}

/// What came of a script.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// What it returned: a text as it is, anything else as JSON; none where it returned nothing.
    pub value: Option<String>,
    /// What it logged, in order.
    pub logs: Vec<String>,
    /// How many more lines it logged.
    pub logs_left_out: usize,
    /// What it put out, in order.
    pub outputs: Vec<String>,
    /// How often more was put out.
    pub outputs_left_out: usize,
    /// Why it did not come to its end, where it did not.
    pub stopped: Option<Stopped>,
    /// How many calls it made.
    pub calls: usize,
    /// How many of them failed.
    pub failed: usize,
    /// How long all of it took, in milliseconds.
    pub elapsed_ms: u64,
}

/// Why a script did not come to its end; what it did by then stays done.
#[derive(Debug, Clone, Serialize, JsonSchema, PartialEq, Eq)]
pub struct Stopped {
    /// The sort of reason.
    pub why: Why,
    /// The line of the script, counted from 1, where it is known.
    pub line: Option<u32>,
    /// The column in that line.
    pub column: Option<u32>,
    /// What was wrong.
    pub message: String,
}

/// Why a script stopped.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// An error was thrown that nothing caught.
    Error,
    /// It computed too long without a call.
    Compute,
    /// Its time was up.
    Time,
    /// It needed too much memory.
    Memory,
    /// Its calls within calls were too deep.
    Stack,
    /// It made too many calls.
    Calls,
    /// It waited for a promise that nothing settles.
    Waiting,
    /// The caller gave up.
    Cancelled,
}

impl Operation for Plan {
    const NAME: &'static str = "plan";
    const ACCESS: &'static [Access] =
        &[Access::Reads, Access::Writes, Access::Executes, Access::Fetches, Access::Calls];
    type Capability = Plans;
    type Request = Request;
    type Output = Output;

    /// Touches nothing itself: each call is judged by what it touches.
    fn touches(_request: &Request) -> Vec<Touch> {
        Vec::new()
    }

    async fn run(plans: &Plans, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        let door = Arc::clone(cx.door()?);
        if prepared(&request.code).trim().is_empty() {
            return Err(Failure::invalid("The script is empty: nothing was run."));
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
        rows.extend(door.tools().into_iter().map(|tool| vec!["tool".to_owned(), tool.name, tool.schema]));
        let script = Script {
            source: request.code,
            libraries: std::iter::once(LIBRARY.to_owned()).chain(request.library).collect(),
            rows,
            limits: Limits { wall, ..request.limits },
        };
        let caller = Caller::new(plans, door, cx, request.reply_bytes, wall);
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

/// Makes of a fault why the script stopped, or the failure of one of which nothing ran.
fn stopped(fault: Fault) -> Result<Stopped, Failure> {
    let Fault { why, line, column, message } = fault;
    let why = match why {
        toolpost_script::Why::Syntax => {
            let place = place(line, column);
            return Err(Failure::invalid(format!(
                "The script cannot be read{place}: {message}. Nothing was run."
            )));
        }
        toolpost_script::Why::Busy => {
            return Err(Failure::new(Kind::Conflict, sentence(&message)));
        }
        toolpost_script::Why::Thrown => Why::Error,
        toolpost_script::Why::Compute => Why::Compute,
        toolpost_script::Why::Time => Why::Time,
        toolpost_script::Why::Heap => Why::Memory,
        toolpost_script::Why::Stack => Why::Stack,
        toolpost_script::Why::Calls => Why::Calls,
        toolpost_script::Why::Waiting => Why::Waiting,
        toolpost_script::Why::Cancelled => Why::Cancelled,
    };
    Ok(Stopped { why, line, column, message })
}

/// Says where something is in a script.
fn place(line: Option<u32>, column: Option<u32>) -> String {
    match (line, column) {
        (Some(line), Some(column)) => format!(" at line {line}, column {column}"),
        (Some(line), None) => format!(" at line {line}"),
        (None, _) => String::new(),
    }
}

impl Stopped {
    /// Says in a sentence where the script stopped, and why.
    #[must_use]
    pub fn words(&self) -> String {
        let colon = if self.line.is_some() { ":" } else { " because" };
        let colon = if self.why == Why::Error { ":" } else { colon };
        format!("stopped{}{colon} {}.", place(self.line, self.column), self.message)
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
