//! `toolpost call`: one call, or many in one session.

use crate::{
    args::Call as Args,
    ask::{self, Input, SessionCalls},
    out, tool_page,
};
use anyhow::{Context, Result, anyhow, bail};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use std::{
    io::{IsTerminal, Read, stderr, stdout},
    path::Path,
    process::ExitCode,
};
use toolpost::{Lifetime, Problem, Reply, Session, Settings, Toolpost, settings::Flags};
use toolpost_dialects::terminal::DIALECT as INTERNAL;
use toolpost_engine::{ContentPin, Failure, Session as SessionState};
use toolpost_runtime::{Catalogue, Published, Runtime};
use toolpost_tool::ReplyPart;
use toolpost_workspace::operator;

/// Exit status of a failed call, and of a call whose command failed.
const FAILED: u8 = 1;

/// Makes the call that the arguments describe, or all calls of a script.
pub(crate) fn run(flags: &Flags, args: Args) -> Result<ExitCode> {
    let settings = Settings::of_user(flags.clone())?;
    let reads_input =
        args.arguments.as_deref() == Some("-") || args.script.as_deref() == Some(Path::new("-"));
    let input = if reads_input { Input::Taken } else { Input::Person };
    let calls = if args.script.is_some() { SessionCalls::Several } else { SessionCalls::One };
    let asker = ask::asker(settings.ask.value, input, calls);
    let builder = Toolpost::with_settings(settings.clone()).asker(asker).lifetime(Lifetime::OneCall);
    let post = if args.json { builder.structured() } else { builder }.open_blocking()?;
    out::report(&post);
    let name = settings.session.value.clone();
    let session = match &args.script {
        // The calls of a script count as those of a client, so the dialect's rules about reading before writing apply.
        Some(_) => SessionState::named(name),
        None => SessionState::of_user(name, pinned(post.runtime(), &args.expect)?),
    };
    let caller = Caller { session: post.session_of(session), post };
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    match (args.script, args.tool) {
        (Some(script), _) => threads.block_on(caller.to_the_end(caller.script(&script))),
        (None, Some(tool)) => {
            let arguments = match understood(&settings, &caller.post.catalogue(), &tool, args.arguments)? {
                CallInput::Arguments(arguments) => arguments,
                CallInput::Nothing(page) => {
                    eprintln!("{page}");
                    return Ok(ExitCode::from(crate::USAGE));
                }
            };
            let reply = threads.block_on(caller.to_the_end(caller.call(tool.clone(), arguments)));
            let unknown = tool_page::unknown(&settings, &caller.post.catalogue(), &tool)?;
            let reply = match (reply.problem(), unknown) {
                (Some(Problem::UnknownTool), Some(words)) => Reply::of_unknown_tool(words),
                _ => reply,
            };
            print(&reply, if args.json { Form::Json } else { Form::Words })
        }
        (None, None) => bail!("pass a tool and its arguments, or --script"),
    }
}

/// Arguments of a call, as the user gave them.
enum CallInput {
    Arguments(Value),
    /// No arguments were given; the text is the tool's help page.
    Nothing(String),
}

/// Parses the arguments of a call; without arguments, returns the tool's help page.
fn understood(
    settings: &Settings,
    catalogue: &Catalogue,
    tool: &str,
    arguments: Option<String>,
) -> Result<CallInput> {
    let known = catalogue.find(tool);
    let text = match (arguments, known) {
        (Some(dash), _) if dash == "-" => standard_input()?,
        (Some(text), _) => text,
        (None, Some(known)) => return Ok(CallInput::Nothing(tool_page::page(settings, known))),
        // The call itself reports that the tool does not exist.
        (None, None) => return Ok(CallInput::Arguments(json!({}))),
    };
    let error = match serde_json::from_str(&text) {
        Ok(arguments) => {
            if let Some(known) = known {
                refuse_unknown(settings, known, &arguments)?;
            }
            return Ok(CallInput::Arguments(arguments));
        }
        Err(error) => error,
    };
    let Some(known) = known else { return Err(error).context("the arguments are not JSON") };
    let example = tool_page::meant(known, &text).unwrap_or_else(|| tool_page::example(known));
    bail!(
        "the arguments are not JSON: {error}\n  help: give them as a JSON object, for example\n        {}",
        tool_page::command_line(settings, known, &example)
    )
}

/// Rejects parameters that the tool does not have, because the caller expects them to have an effect.
fn refuse_unknown(settings: &Settings, tool: &Published, arguments: &Value) -> Result<()> {
    let unknown = tool.unknown_arguments(arguments);
    if unknown.is_empty() {
        return Ok(());
    }
    let name = &tool.name;
    bail!(
        "{name}: {}. Nothing was done.\n  help: `{}` lists the parameters",
        unknown.join("; "),
        tool_page::help_line(settings, tool)
    )
}

/// Parses the content hashes of `--expect`.
fn pinned(runtime: &Runtime, expected: &[String]) -> Result<Vec<ContentPin>> {
    let read = |expected: &String| {
        let (path, hex) = match expected.rsplit_once('=') {
            Some((path, hex)) => (Some(path), hex),
            None => (None, expected.as_str()),
        };
        let words = |failure: Failure| anyhow!(failure.completed(INTERNAL.say).what);
        let path = path.map(|path| runtime.engine().resolve(path).map_err(words));
        ContentPin::new(path.transpose()?, hex).with_context(|| {
            format!(
                "`{}` is not a hash: --expect takes HASH or PATH=HASH, with at least 12 hex digits of the BLAKE3 hash, which \
                 `toolpost call --json` prints for a file that a tool reads (`structured.hash`)",
                hex.escape_debug()
            )
        })
    };
    expected.iter().map(read).collect()
}

struct Caller {
    post: Toolpost,
    session: Session,
}

impl Caller {
    /// Runs calls, then stops the commands that they left running, because the session ends.
    async fn to_the_end<T>(&self, calls: impl Future<Output = T>) -> T {
        let done = calls.await;
        let running = self.session.running_commands();
        self.post.close().await;
        for command in running {
            let command: String = command.chars().flat_map(char::escape_debug).collect();
            eprintln!(
                "toolpost: `call` ends its session, so `{command}` was stopped; `toolpost serve` keeps a session open"
            );
        }
        done
    }

    async fn call(&self, tool: String, arguments: Value) -> Reply {
        // Upstream servers start only if one of them may have the tool.
        if self.post.catalogue().find(&tool).is_none() {
            self.post.connect().await;
        }
        let (progress, _line) = out::ProgressLine::of_call();
        self.session.call(tool, arguments).on_progress(move |count, what| progress.tell(count, what)).await
    }

    /// Makes a call for each line, and prints the replies in order.
    async fn script(&self, path: &Path) -> Result<ExitCode> {
        let text = if path == Path::new("-") { Some(standard_input()?) } else { operator::read(path)? };
        let text = text.with_context(|| format!("the script {} does not exist", path.display()))?;
        // The whole script is parsed before the first call.
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let calls = lines.map(|(number, line)| scripted(number + 1, line)).collect::<Result<Vec<_>>>()?;
        let mut code = ExitCode::SUCCESS;
        for (tool, arguments) in calls {
            let reply = self.call(tool, arguments).await;
            if reply.problem().is_some() {
                code = ExitCode::from(FAILED);
            }
            out::line(&as_json(&reply).to_string())?;
        }
        Ok(code)
    }
}

/// Parses a line of a script into the tool and its arguments.
fn scripted(number: usize, line: &str) -> Result<(String, Value)> {
    let call: Value =
        serde_json::from_str(line).with_context(|| format!("line {number} of the script is not JSON"))?;
    let tool = call
        .get("tool")
        .and_then(Value::as_str)
        .with_context(|| format!("line {number} of the script has no tool name"))?;
    Ok((tool.to_owned(), call.get("arguments").cloned().unwrap_or_else(|| json!({}))))
}

#[derive(PartialEq, Eq)]
enum Form {
    Words,
    Json,
}

fn print(reply: &Reply, form: Form) -> Result<ExitCode> {
    let words = if form == Form::Json { as_json(reply).to_string() } else { as_words(reply) };
    if reply.is_error() {
        eprintln!("{}", if stderr().is_terminal() { out::harmless(&words) } else { words });
        return Ok(ExitCode::from(FAILED));
    }
    out::line(&if stdout().is_terminal() { out::harmless(&words) } else { words })?;
    // A command with a failing exit status did not succeed, although the call did.
    Ok(if reply.problem().is_none() { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

fn as_words(reply: &Reply) -> String {
    let words = reply.parts().iter().map(|part| match part {
        ReplyPart::Text(text) => text.clone(),
        ReplyPart::Image { mime, data } => format!("[image, {mime}, {} bytes; --json prints it]", data.len()),
    });
    words.collect::<Vec<_>>().join("\n")
}

fn as_json(reply: &Reply) -> Value {
    let content: Vec<Value> = reply.parts().iter().map(part_as_json).collect();
    let mut json = json!({ "ok": !reply.is_error(), "content": content });
    if let Some(Problem::Failed(kind)) = reply.problem() {
        json["kind"] = json!(kind);
    }
    if let Some(structured) = reply.structured() {
        json["structured"] = structured.clone();
    }
    json
}

fn part_as_json(part: &ReplyPart) -> Value {
    match part {
        ReplyPart::Text(text) => json!({ "type": "text", "text": text }),
        ReplyPart::Image { mime, data } => {
            json!({ "type": "image", "mimeType": mime, "data": STANDARD.encode(data) })
        }
    }
}

fn standard_input() -> Result<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
    Ok(text)
}
