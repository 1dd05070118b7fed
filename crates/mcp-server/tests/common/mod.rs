//! A small server: five tools that never touch the disk, and a client that speaks JSON.
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    clippy::unwrap_used,
    reason = "shared by the test files, each of which uses a part"
)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf},
    task::JoinHandle,
    time::timeout,
};
use toolpost_engine::{Access, CallCtx, Engine, Extent, Failure, Files, Fresh, Kind, Operation, Touch};
use toolpost_mcp_server::{Options, ServeError};
use toolpost_runtime::{Config, Policy, RuleSource, Runtime, StructuredOutput, ToolSelection, Verdict};
use toolpost_text::matching::Step;
use toolpost_tool::{Budget, Dialect, Lowering, Page, Tool, ToolDef, TruncationPolicy};
use toolpost_workspace::{Workspace, WorkspacePath};

pub const MODERN: &str = "2026-07-28";
pub const LEGACY: &str = "2025-11-25";

/// The time after which a test counts as hanging; less than the five seconds for which `rmcp` waits for pending
/// responses when the connection closes.
const HANGS: Duration = Duration::from_secs(4);

/// The recorded actions of the tools, in order.
static DONE: Mutex<Vec<String>> = Mutex::new(Vec::new());

pub fn done(of: &str) -> Vec<String> {
    DONE.lock().unwrap().iter().filter(|what| what.contains(of)).cloned().collect()
}

fn note(what: String) {
    DONE.lock().unwrap().push(what);
}

#[derive(Serialize, JsonSchema)]
pub struct SaidText {
    pub text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Text {
    /// The text to return.
    text: String,
}

struct Echo;

impl Operation for Echo {
    const NAME: &'static str = "read";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = Files;
    type Request = String;
    type Output = SaidText;

    fn touches(_request: &String) -> Vec<Touch> {
        Vec::new()
    }

    async fn run(_files: &Files, request: String, _cx: &CallCtx) -> Result<SaidText, Failure> {
        if request == "fail" {
            return Err(Failure::new(Kind::Internal, "It failed as it was told to."));
        }
        assert!(request != "panic", "told to");
        Ok(SaidText { text: request })
    }
}

impl Tool for Echo {
    const NAME: &'static str = "Echo";
    type Op = Self;
    type Args = Text;

    fn lower(args: Text, _at: &Lowering) -> Result<String, Failure> {
        Ok(args.text)
    }

    fn render(output: &SaidText, page: &mut Page) {
        match output.text.as_str() {
            "stop" => page.error(),
            "exit 1" => page.failed(),
            _ => {}
        }
        page.text(&output.text);
    }
}

struct Picture;

impl Operation for Picture {
    const NAME: &'static str = "picture";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = Files;
    type Request = ();
    type Output = SaidText;

    fn touches(_request: &()) -> Vec<Touch> {
        Vec::new()
    }

    async fn run(_files: &Files, _request: (), _cx: &CallCtx) -> Result<SaidText, Failure> {
        Ok(SaidText { text: "a picture".to_owned() })
    }
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

impl Tool for Picture {
    const NAME: &'static str = "Picture";
    type Op = Self;
    type Args = Nothing;

    fn lower(_args: Nothing, _at: &Lowering) -> Result<(), Failure> {
        Ok(())
    }

    fn render(output: &SaidText, page: &mut Page) {
        page.text(&output.text);
        page.image("image/png", vec![0xff, 0x00, 0x10]);
    }
}

/// Waits until it is cancelled, or for a number of steps; reports progress all the time.
struct Wait;

#[derive(Deserialize, JsonSchema)]
struct Steps {
    /// The name in the record.
    name: String,
    /// The number of steps of five milliseconds.
    steps: u64,
}

impl Operation for Wait {
    const NAME: &'static str = "wait";
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = Files;
    type Request = (String, u64);
    type Output = SaidText;

    fn touches(_request: &(String, u64)) -> Vec<Touch> {
        Vec::new()
    }

    async fn run(_files: &Files, (name, steps): (String, u64), cx: &CallCtx) -> Result<SaidText, Failure> {
        note(format!("{name} begins"));
        for step in 1..=steps {
            // The count sometimes decreases, as it can if several walkers run independently.
            cx.progress.tell(if step % 7 == 0 { step / 2 } else { step }, "steps");
            tokio::select! {
                () = cx.cancel.cancelled() => {
                    note(format!("{name} is cancelled"));
                    return Err(Failure::new(Kind::Cancelled, "It was cancelled."));
                }
                () = tokio::time::sleep(Duration::from_millis(5)) => {}
            }
        }
        Ok(SaidText { text: format!("{name} is over") })
    }
}

impl Tool for Wait {
    const NAME: &'static str = "Wait";
    type Op = Self;
    type Args = Steps;

    fn lower(args: Steps, _at: &Lowering) -> Result<(String, u64), Failure> {
        Ok((args.name, args.steps))
    }

    fn render(output: &SaidText, page: &mut Page) {
        page.text(&output.text);
    }
}

/// Declares a write of a file; the record shows the order of the writes.
struct Write;

#[derive(Deserialize, JsonSchema)]
struct WriteArgs {
    /// The path.
    path: String,
    /// The text.
    text: String,
}

impl Operation for Write {
    const NAME: &'static str = "change";
    const ACCESS: &'static [Access] = &[Access::Reads, Access::Writes];
    type Capability = Files;
    type Request = (WorkspacePath, String);
    type Output = SaidText;

    fn touches((path, _): &Self::Request) -> Vec<Touch> {
        vec![Touch::Write(path.clone(), Extent::Part)]
    }

    async fn run(_files: &Files, (_, text): Self::Request, _cx: &CallCtx) -> Result<SaidText, Failure> {
        note(text.clone());
        Ok(SaidText { text: format!("wrote {text}") })
    }
}

impl Tool for Write {
    const NAME: &'static str = "Write";
    type Op = Self;
    type Args = WriteArgs;

    fn lower(args: WriteArgs, at: &Lowering) -> Result<(WorkspacePath, String), Failure> {
        Ok((at.path(&args.path)?, args.text))
    }

    fn render(output: &SaidText, page: &mut Page) {
        page.text(&output.text);
    }
}

const TOOLS: [ToolDef; 4] =
    [ToolDef::of::<Echo>(), ToolDef::of::<Picture>(), ToolDef::of::<Wait>(), ToolDef::of::<Write>()];

static DIALECT: Dialect = Dialect {
    name: "test",
    tools: &TOOLS,
    pages: &[
        "# Test\n\n## Echo\n\nSays it again.\n\n## Picture\n\nShows a picture.\n\n## Wait\n\nWaits.\n\n## Write\n\nWrites.\n",
    ],
    instructions: "Say something.",
    budget: Budget { bytes: 1024 * 1024, lines: 100_000, cut: TruncationPolicy::Head },
    deadline: Duration::from_secs(60),
    fresh: Fresh::NOT_ASKED,
    matching: Step::Exact,
    say: |_| String::new(),
};

const RULES: &str =
    "[[rule]]\ntouch = [\"write\"]\npaths = [\"**/asked*\"]\ndecide = \"ask\"\nwhy = \"A test wants it.\"\n";

/// A connected client.
pub struct Client {
    pub to: Option<WriteHalf<DuplexStream>>,
    pub from: Lines<BufReader<ReadHalf<DuplexStream>>>,
    pub serving: JoinHandle<Result<(), ServeError>>,
    last: i64,
    _root: tempfile::TempDir,
}

impl Client {
    /// Connects to a new server; the fallback asker always gives `else_asked`.
    pub fn new(structured: StructuredOutput, else_asked: Verdict) -> Self {
        let root = tempfile::tempdir().unwrap();
        let (workspace, _) = Workspace::open(toolpost_workspace::Options {
            roots: vec![root.path().to_path_buf()],
            ..Default::default()
        })
        .unwrap();
        let policy =
            Policy::built_in().unwrap().with(RULES, &RuleSource::Operator("test".to_owned())).unwrap();
        let config = Config {
            dialects: vec![&DIALECT],
            narrow: ToolSelection::default(),
            policy,
            deadline: None,
            reply_bytes: None,
            structured,
        };
        let runtime = Arc::new(Runtime::new(Engine::new(workspace), config).unwrap());
        let options = Options {
            name: "toolpost".into(),
            version: "1.2.3".into(),
            asker: Arc::new(else_asked),
            session: None,
        };
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (input, output) = tokio::io::split(theirs);
        let serving = tokio::spawn(toolpost_mcp_server::connection(runtime, options, input, output));
        let (from, to) = tokio::io::split(ours);
        Self { to: Some(to), from: BufReader::new(from).lines(), serving, last: 0, _root: root }
    }

    /// Connects in the legacy era, with the client's capabilities.
    pub async fn legacy(capabilities: Value) -> Self {
        let mut client = Self::new(StructuredOutput::Off, Verdict::Deny("nobody is here".to_owned()));
        let info = json!({"name": "test", "version": "1"});
        client
            .request(
                "initialize",
                json!({"protocolVersion": LEGACY, "capabilities": capabilities, "clientInfo": info}),
            )
            .await;
        client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        client
    }

    /// Connects in the modern era, without a handshake.
    pub fn modern() -> Self {
        Self::new(StructuredOutput::Off, Verdict::Deny("nobody is here".to_owned()))
    }

    pub async fn raw(&mut self, bytes: &[u8]) {
        self.to.as_mut().unwrap().write_all(bytes).await.unwrap();
    }

    pub async fn send(&mut self, message: Value) {
        self.raw(format!("{message}\n").as_bytes()).await;
    }

    /// Returns the next message; `None` at the end.
    pub async fn next(&mut self) -> Option<Value> {
        let line = timeout(HANGS, self.from.next_line()).await.expect("the server says nothing").unwrap()?;
        Some(serde_json::from_str(&line).unwrap())
    }

    /// Sends a request and returns the answer; earlier messages are discarded.
    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params).await;
        loop {
            let message = self.next().await.expect("the server went away");
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    /// Sends a request without waiting.
    pub async fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.last += 1;
        self.send(json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})).await;
        self.last
    }

    /// Closes the input; returns the result of serving, and the remaining messages.
    pub async fn end(mut self) -> (Result<(), ServeError>, Vec<Value>) {
        let mut to = self.to.take().unwrap();
        to.shutdown().await.unwrap();
        let served = timeout(HANGS, &mut self.serving).await.expect("the server does not end").unwrap();
        let mut rest = Vec::new();
        while let Some(message) = self.next().await {
            rest.push(message);
        }
        (served, rest)
    }
}

/// Adds the metadata that each request of the modern era carries.
pub fn meta(params: Value, capabilities: Value) -> Value {
    let mut params = params;
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(MODERN);
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({"name": "test", "version": "1"});
    params
}

pub fn call(tool: &str, arguments: Value) -> Value {
    json!({"name": tool, "arguments": arguments})
}

/// Waits until the tools have done something.
pub async fn until_done(what: &str) {
    let wait = async {
        while done(what).is_empty() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    timeout(HANGS, wait).await.unwrap_or_else(|_| panic!("never done: {what}"));
}
