//! The layers hold for any tool: these are tools of the test alone.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests build their own worlds")]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{
    fs,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio_util::sync::CancellationToken;
use toolpost_engine::{
    Access, CallCtx, Engine, Extent, Failure, Fresh, Hint, Kind, Operation, Progress, Session, Touch,
};
use toolpost_runtime::{
    Asker, Asking, Call, Config, Event, Outcome, Policy, Question, RuleSource, Runtime, Structured, Verdict,
};
use toolpost_text::matching::Step;
use toolpost_tool::{Budget, Cut, Dialect, Lowering, Page, Tool, ToolDef};
use toolpost_workspace::{Options, Workspace, WorkspacePath};

/// An operation that does what it is told.
struct Obey;

struct Request {
    path: WorkspacePath,
    order: String,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    said: String,
}

static RUNNING: Mutex<Vec<String>> = Mutex::new(Vec::new());

impl Operation for Obey {
    const NAME: &'static str = "obey";
    const ACCESS: &'static [Access] = &[Access::Reads, Access::Writes];
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        if request.order.starts_with("write") {
            vec![Touch::Write(request.path.clone(), Extent::Part)]
        } else {
            vec![Touch::Read(request.path.clone())]
        }
    }

    async fn run(_engine: &Engine, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        match request.order.as_str() {
            "panic" => panic!("as told"),
            "sleep" => {
                tokio::time::sleep(Duration::from_secs(600)).await;
                Ok(Output { said: "awake".to_owned() })
            }
            "wait for cancel" => {
                cx.cancel.cancelled().await;
                Err(Failure::new(Kind::Cancelled, "stopped"))
            }
            "long" => Ok(Output { said: "line\n".repeat(1_000) }),
            "may read" => Ok(Output { said: (cx.may_read)(&request.path).to_string() }),
            order if order.starts_with("write") => {
                RUNNING.lock().unwrap().push(format!("begin {order}"));
                tokio::time::sleep(Duration::from_millis(20)).await;
                RUNNING.lock().unwrap().push(format!("end {order}"));
                Ok(Output { said: order.to_owned() })
            }
            order => Ok(Output { said: order.to_owned() }),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
struct Args {
    path: String,
    order: String,
}

struct Do;

impl Tool for Do {
    const NAME: &'static str = "Do";
    const ALIASES: &'static [&'static str] = &["perform"];
    type Op = Obey;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Request, Failure> {
        Ok(Request { path: at.path(&args.path)?, order: args.order })
    }

    fn render(output: &Output, page: &mut Page) {
        page.line(output.said.trim_end());
    }
}

fn say(hint: &Hint) -> String {
    format!("{hint:?}").chars().take_while(|letter| letter.is_alphanumeric()).collect()
}

const TOOLS: [ToolDef; 1] = [ToolDef::of::<Do>()];
static DIALECT: Dialect = dialect("test");
static OTHER: Dialect = dialect("other");

const fn dialect(name: &'static str) -> Dialect {
    Dialect {
        name,
        tools: &TOOLS,
        pages: &["\n## Do\n\nDoes it.\n"],
        instructions: "Do.",
        budget: Budget { bytes: 200, lines: 20, cut: Cut::Head },
        deadline: Duration::from_secs(60),
        fresh: Fresh::NOT_ASKED,
        matching: Step::Exact,
        say,
    }
}

struct World {
    root: tempfile::TempDir,
    runtime: Arc<Runtime>,
    session: Arc<Session>,
    asker: Arc<dyn Asker>,
}

impl World {
    fn new() -> Self {
        Self::with(&[&DIALECT], "", None)
    }

    fn with(dialects: &[&'static Dialect], rules: &str, deadline: Option<Duration>) -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("f"), "content\n").unwrap();
        fs::write(root.path().join(".env"), "SECRET=1\n").unwrap();
        let options = Options { roots: vec![root.path().to_path_buf()], ..Options::default() };
        let (workspace, _) = Workspace::open(options).unwrap();
        let policy =
            Policy::built_in().unwrap().with(rules, &RuleSource::Operator("test".to_owned())).unwrap();
        let config = Config {
            dialects: dialects.to_vec(),
            policy,
            deadline,
            reply_bytes: None,
            structured: Structured::Off,
        };
        let runtime = Arc::new(Runtime::new(Engine::new(workspace), config));
        Self {
            root,
            runtime,
            session: Session::new(),
            asker: Arc::new(Verdict::Deny("nobody is here".to_owned())),
        }
    }

    fn asking(mut self, asker: impl Asker + 'static) -> Self {
        self.asker = Arc::new(asker);
        self
    }

    fn prepared(&self, tool: &str, arguments: Value) -> Call {
        Call {
            tool: tool.to_owned(),
            arguments,
            session: self.session.clone(),
            cancel: CancellationToken::new(),
            asker: self.asker.clone(),
            progress: Progress::silent(),
        }
    }

    async fn call(&self, path: &str, order: &str) -> Outcome {
        self.runtime.call(self.prepared("Do", json!({ "path": path, "order": order }))).await
    }
}

fn words(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Done(answer) => answer.words(),
        Outcome::Failed(kind, answer) => format!("{kind:?}: {}", answer.words()),
        Outcome::NoSuchTool(answer) => format!("no tool: {}", answer.words()),
        Outcome::Ask(question) => format!("ask: {}", question.words()),
    }
}

#[tokio::test]
async fn a_panic_ends_the_call_and_not_the_server() {
    let world = World::new();
    assert_eq!(
        words(&world.call("f", "panic").await),
        "Internal: Toolpost made a mistake in this call: as told\nAdvice"
    );
    assert_eq!(words(&world.call("f", "hello").await), "hello");
}

#[tokio::test]
async fn a_reply_is_cut_to_the_budget_and_says_so() {
    let world = World::new();
    let reply = words(&world.call("f", "long").await);
    assert!(reply.starts_with("line\nline\n"), "{reply}");
    assert!(reply.ends_with("[toolpost: left out lines 21-1000 of 1000, 4900 of 5000 bytes]"), "{reply}");
}

#[tokio::test]
async fn the_clock_runs_out() {
    let world = World::with(&[&DIALECT], "", Some(Duration::from_millis(10)));
    assert_eq!(
        words(&world.call("f", "sleep").await),
        "Timeout: Nothing was found out within 0.01 s.\nNarrow"
    );
}

#[tokio::test]
async fn a_cancelled_call_stops() {
    let world = World::new();
    let call = world.prepared("Do", json!({ "path": "f", "order": "wait for cancel" }));
    let cancel = call.cancel.clone();
    let runtime = world.runtime.clone();
    let running = tokio::spawn(async move { runtime.call(call).await });
    cancel.cancel();
    assert_eq!(words(&running.await.unwrap()), "Cancelled: stopped");
}

#[tokio::test]
async fn writers_of_one_path_wait_in_call_order() {
    let world = World::new();
    let calls = (1..=5)
        .map(|number| world.call("f", ["write 1", "write 2", "write 3", "write 4", "write 5"][number - 1]));
    let mut running: Vec<_> = calls.map(Box::pin).collect();
    let all = std::future::poll_fn(|cx| {
        running.retain_mut(|call| call.as_mut().poll(cx).is_pending());
        if running.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    });
    all.await;
    let expected: Vec<String> =
        (1..=5).flat_map(|number| [format!("begin write {number}"), format!("end write {number}")]).collect();
    assert_eq!(*RUNNING.lock().unwrap(), expected);
}

#[tokio::test]
async fn a_tool_is_found_by_name_alias_and_dialect() {
    let world = World::with(&[&DIALECT, &OTHER], "", None);
    let names: Vec<&str> = world.runtime.catalogue().tools().iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["test_Do", "other_Do"]);
    for name in ["test_Do", "other_Do", "perform", "test_perform"] {
        let outcome =
            world.runtime.call(world.prepared(name, json!({ "path": "f", "order": "hello" }))).await;
        assert_eq!(words(&outcome), "hello", "{name}");
    }
    let outcome = world.runtime.call(world.prepared("Dont\u{1b}", json!({}))).await;
    assert_eq!(words(&outcome), "no tool: No tool is called Dont\\u{1b}. The tools are: test_Do, other_Do.");
}

#[tokio::test]
async fn wrong_arguments_and_wrong_paths_fail_with_advice() {
    let world = World::new();
    let outcome = world.runtime.call(world.prepared("Do", json!({ "path": "f" }))).await;
    assert_eq!(
        words(&outcome),
        "Invalid: order is missing: it takes a string, for example {\"order\":\"text\"}."
    );
    let outcome = world.call("../elsewhere", "hello").await;
    assert!(matches!(&outcome, Outcome::Failed(Kind::Outside, _)), "{outcome:?}");
    let outcome =
        world.runtime.call(world.prepared("Do", json!({ "path": "f", "order": "hello", "why": "x" }))).await;
    assert_eq!(words(&outcome), "hello\n[toolpost: ignored unknown argument: \"why\"]");
}

#[tokio::test]
async fn the_third_same_failure_says_so() {
    let world = World::new();
    for _ in 0..2 {
        assert_eq!(
            words(&world.call("f", "panic").await),
            "Internal: Toolpost made a mistake in this call: as told\nAdvice"
        );
    }
    let third = words(&world.call("f", "panic").await);
    assert!(third.ends_with("The same call failed before, 3 times in a row now: do the next step above before you make it again."), "{third}");
}

/// Remembers what it was asked.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<Question>>>);

impl Asker for Recorder {
    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a> {
        self.0.lock().unwrap().push(question.clone());
        Box::pin(std::future::ready(Verdict::Allow))
    }
}

#[tokio::test]
async fn rules_allow_ask_and_deny() {
    let world = World::new();
    assert_eq!(
        words(&world.call(".git/config", "write x").await),
        "Denied: Not allowed to write .git/config: Version control keeps its own files, and some of them (hooks, config, attributes) run programs.\nOperator"
    );
    assert_eq!(
        words(&world.call(".env", "hello").await),
        "Denied: Not allowed to read .env: Such a file usually holds secrets. nobody is here\nOperator"
    );
    let recorder = Recorder::default();
    let world = World::new().asking(recorder.clone());
    assert_eq!(words(&world.call(".env", "may read").await), "true");
    let asked = recorder.0.lock().unwrap().clone();
    let wanted = Question {
        tool: "Do (test)".to_owned(),
        touches: vec!["read .env".to_owned()],
        reason: "Such a file usually holds secrets.".to_owned(),
    };
    assert_eq!(asked, [wanted]);
    let world = World::new().asking(Verdict::Later);
    assert!(matches!(world.call(".env", "hello").await, Outcome::Ask(_)));
    let rules = "[[rule]]\ntouch = [\"read\"]\npaths = [\".env\"]\ndecide = \"allow\"\n";
    assert_eq!(words(&World::with(&[&DIALECT], rules, None).call(".env", "hello").await), "hello");
}

#[tokio::test]
async fn a_link_to_a_secret_is_judged_as_the_secret() {
    let world = World::new();
    std::os::unix::fs::symlink(".env", world.root.path().join("innocent")).unwrap();
    assert!(matches!(world.call("innocent", "hello").await, Outcome::Failed(Kind::Denied, _)));
}

#[tokio::test]
async fn calls_are_announced_also_when_they_are_not_understood() {
    let world = World::new();
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let hear = heard.clone();
    world.runtime.events.listen(move |event| {
        hear.lock().unwrap().push(match event {
            Event::Started { id, tool } => format!("{id} {tool} started"),
            Event::Finished { id, tool, outcome, .. } => format!("{id} {tool} {outcome}"),
        });
    });
    world.call("f", "hello").await;
    world.call("f", "panic").await;
    world.runtime.call(world.prepared("Nothing", json!({}))).await;
    let wanted = [
        "1 Do started",
        "1 Do done",
        "2 Do started",
        "2 Do internal",
        "3 Nothing started",
        "3 Nothing no_such_tool",
    ];
    assert_eq!(*heard.lock().unwrap(), wanted);
}
