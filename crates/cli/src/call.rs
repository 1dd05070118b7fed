//! `toolpost call`: one call, or many in one session.

use crate::{
    args::{Call as Args, Common},
    ask::{self, Input},
    out,
    settings::Settings,
    wire,
};
use anyhow::{Context, Result};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use std::{io::Read, path::Path, process::ExitCode, sync::Arc};
use tokio_util::sync::CancellationToken;
use toolpost_agent::bridge::Bridge;
use toolpost_engine::{Progress, Session};
use toolpost_runtime::{Answer, Asker, Call, Outcome, Runtime, Structured};
use toolpost_tool::Part;
use toolpost_workspace::operator;

/// The exit status of a call that failed.
const FAILED: u8 = 1;

/// Makes the calls.
pub(crate) fn run(common: &Common, args: Args) -> Result<ExitCode> {
    let settings = Settings::find(common)?;
    let structured = if args.json { Structured::On } else { Structured::Off };
    let wired = wire::wire(&settings, structured, wire::Life::Short)?;
    wired.recovery.lines().iter().for_each(|line| eprintln!("toolpost: {line}"));
    let reads_input =
        args.arguments.as_deref() == Some("-") || args.script.as_deref() == Some(Path::new("-"));
    let input = if reads_input { Input::Taken } else { Input::Person };
    let caller = Caller {
        runtime: wired.runtime,
        bridge: wired.bridge,
        session: Session::named(settings.session.value.clone()),
        asker: ask::asker(settings.ask.value, input),
    };
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    match (args.script, args.tool, args.arguments) {
        (Some(script), ..) => threads.block_on(caller.to_the_end(caller.script(&script))),
        (None, Some(tool), Some(arguments)) => {
            let arguments = if arguments == "-" { standard_input()? } else { arguments };
            let arguments: Value = serde_json::from_str(&arguments).context("the arguments are not JSON")?;
            let outcome = threads.block_on(caller.to_the_end(caller.call(tool, arguments)));
            print(&outcome, if args.json { Form::Json } else { Form::Words })
        }
        _ => anyhow::bail!("name a tool and its arguments, or a script"),
    }
}

struct Caller {
    runtime: Arc<Runtime>,
    bridge: Option<Arc<Bridge>>,
    session: Arc<Session>,
    asker: Arc<dyn Asker>,
}

impl Caller {
    /// Makes calls, then ends the commands that they left running: their session is over.
    async fn to_the_end<T>(&self, calls: impl Future<Output = T>) -> T {
        let done = calls.await;
        self.runtime.shut_down().await;
        done
    }

    async fn call(&self, tool: String, arguments: Value) -> Outcome {
        // Other servers are started where one of them may have the tool.
        if let (Some(bridge), None) = (&self.bridge, self.runtime.catalogue().find(&tool)) {
            bridge.begin(&self.runtime);
            self.runtime.settled().await;
        }
        let call = Call {
            tool,
            arguments,
            session: self.session.clone(),
            cancel: CancellationToken::new(),
            asker: self.asker.clone(),
            progress: Progress::silent(),
        };
        self.runtime.call(call).await
    }

    /// Makes a call for each line, and prints a reply for each, in order.
    async fn script(&self, path: &Path) -> Result<ExitCode> {
        let text = if path == Path::new("-") { Some(standard_input()?) } else { operator::read(path)? };
        let text = text.with_context(|| format!("the script {} does not exist", path.display()))?;
        // The whole script is understood before its first call is made.
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let calls = lines.map(|(number, line)| scripted(number + 1, line)).collect::<Result<Vec<_>>>()?;
        let mut code = ExitCode::SUCCESS;
        for (tool, arguments) in calls {
            let outcome = self.call(tool, arguments).await;
            if !matches!(outcome, Outcome::Done(_)) {
                code = ExitCode::from(FAILED);
            }
            out::line(&as_json(&outcome).to_string())?;
        }
        Ok(code)
    }
}

/// Understands a line of a script: the tool and its arguments.
fn scripted(number: usize, line: &str) -> Result<(String, Value)> {
    let call: Value = serde_json::from_str(line).with_context(|| format!("line {number} is not JSON"))?;
    let tool =
        call.get("tool").and_then(Value::as_str).with_context(|| format!("line {number} names no tool"))?;
    Ok((tool.to_owned(), call.get("arguments").cloned().unwrap_or_else(|| json!({}))))
}

#[derive(PartialEq, Eq)]
enum Form {
    Words,
    Json,
}

fn print(outcome: &Outcome, form: Form) -> Result<ExitCode> {
    let done = matches!(outcome, Outcome::Done(_));
    let words = if form == Form::Json { as_json(outcome).to_string() } else { as_words(outcome) };
    if done {
        out::line(&words)?;
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("{words}");
    Ok(ExitCode::from(FAILED))
}

fn as_words(outcome: &Outcome) -> String {
    let parts = match outcome {
        Outcome::Done(answer) | Outcome::Failed(_, answer) | Outcome::NoSuchTool(answer) => &answer.parts,
        Outcome::Ask(question) => return question.words(),
    };
    let words = parts.iter().map(|part| match part {
        Part::Text(text) => text.clone(),
        Part::Image { mime, data } => format!("[picture, {mime}, {} bytes; --json prints it]", data.len()),
    });
    words.collect::<Vec<_>>().join("\n")
}

fn as_json(outcome: &Outcome) -> Value {
    let (ok, answer) = match outcome {
        Outcome::Done(answer) => (true, answer.clone()),
        Outcome::Failed(_, answer) | Outcome::NoSuchTool(answer) => (false, answer.clone()),
        Outcome::Ask(question) => (false, Answer::text(question.words())),
    };
    let content: Vec<Value> = answer.parts.iter().map(part_as_json).collect();
    let mut reply = json!({ "ok": ok, "content": content });
    if let Outcome::Failed(kind, _) = outcome {
        reply["kind"] = json!(kind);
    }
    if let Some(structured) = answer.structured {
        reply["structured"] = structured;
    }
    reply
}

fn part_as_json(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Image { mime, data } => {
            json!({ "type": "image", "mimeType": mime, "data": STANDARD.encode(data) })
        }
    }
}

fn standard_input() -> Result<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("standard input cannot be read")?;
    Ok(text)
}
