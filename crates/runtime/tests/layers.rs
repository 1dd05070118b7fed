//! Tests of the layers, with tools that exist only here: the layers apply to any tool.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{
    fs,
    sync::{
        Arc, LazyLock, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::Barrier;
use tokio_util::sync::CancellationToken;
use toolpost_engine::{
    Access, CallCtx, Engine, Extent, Failure, Files, Fresh, Hint, Kind, Operation, Progress, Session, Touch,
    operations::batch,
};
use toolpost_runtime::{
    Asker, Asking, Call, Config, Detail, Event, Narrow, Outcome, Policy, Question, RuleSource, Runtime, Span,
    Status, Structured, Verdict,
};
use toolpost_text::matching::Step;
use toolpost_tool::{Budget, Cut, Dialect, Lowering, Page, Tool, ToolDef};
use toolpost_workspace::{Options, Workspace, WorkspacePath};

/// An operation that follows the orders in its arguments.
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
/// Lets four calls pass only when all of them are there.
static MEETING: LazyLock<Barrier> = LazyLock::new(|| Barrier::new(4));
static INSIDE: AtomicUsize = AtomicUsize::new(0);
static CROWD: AtomicUsize = AtomicUsize::new(0);

impl Operation for Obey {
    const NAME: &'static str = "obey";
    const ACCESS: &'static [Access] = &[Access::Reads, Access::Writes];
    type Capability = Files;
    type Request = Request;
    type Output = Output;

    fn touches(request: &Request) -> Vec<Touch> {
        if request.order.starts_with("write") {
            vec![Touch::Write(request.path.clone(), Extent::Part)]
        } else {
            vec![Touch::Read(request.path.clone())]
        }
    }

    async fn run(_files: &Files, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
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
            "half" => {
                cx.cancel.cancelled().await;
                Ok(Output { said: "half".to_owned() })
            }
            "end in time" => {
                tokio::time::sleep_until(cx.deadline.unwrap().into()).await;
                Ok(Output { said: "a part".to_owned() })
            }
            "a while" => {
                tokio::time::sleep(Duration::from_millis(50)).await;
                Ok(Output { said: "a while".to_owned() })
            }
            "meet" => {
                MEETING.wait().await;
                Ok(Output { said: "met".to_owned() })
            }
            "crowd" => {
                let inside = INSIDE.fetch_add(1, Ordering::SeqCst) + 1;
                CROWD.fetch_max(inside, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(5)).await;
                INSIDE.fetch_sub(1, Ordering::SeqCst);
                Ok(Output { said: "left".to_owned() })
            }
            "long" => Ok(Output { said: "line\n".repeat(1_000) }),
            "may read" => Ok(Output { said: cx.may_read(&request.path).to_string() }),
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
        if output.said == "picture" {
            page.image("image/png", vec![0; 7]);
        }
        if output.said.starts_with("remark") {
            page.note_once("skipped target");
            page.note("of this call");
        }
    }
}

#[derive(Deserialize, JsonSchema)]
struct ManyArgs {
    /// A tool and an order each, such as `Do hello`.
    calls: Vec<String>,
    at_once: usize,
    fail_fast: Option<bool>,
    as_settled: Option<bool>,
    milliseconds: Option<u64>,
}

/// Runs several calls at the same time.
struct Many;

impl Tool for Many {
    const NAME: &'static str = "Many";
    type Op = batch::Batch;
    type Args = ManyArgs;

    fn lower(args: ManyArgs, at: &Lowering) -> Result<batch::Request, Failure> {
        let calls = args.calls.iter().map(|call| {
            let (tool, order) = call.split_once(' ').unwrap();
            let path = if order == "secret" { ".env" } else { "f" };
            let arguments = match tool {
                "Many" => json!({ "calls": ["Do hello"], "at_once": 1 }),
                _ => json!({ "path": path, "order": order }),
            };
            batch::Asked { tool: tool.to_owned(), arguments: arguments.to_string() }
        });
        Ok(batch::Request {
            calls: calls.collect(),
            max_parallel: args.at_once,
            on_failure: if args.fail_fast == Some(true) {
                batch::OnFailure::Stop
            } else {
                batch::OnFailure::GoOn
            },
            order: if args.as_settled == Some(true) { batch::Order::Settled } else { batch::Order::Asked },
            time: args.milliseconds.map(Duration::from_millis),
            reply_bytes: at.reply_bytes() / 4,
            first_share: at.reply_bytes() / 4,
            weigh: str::len,
            is_cut: |_| false,
        })
    }

    fn render(output: &batch::Output, page: &mut Page) {
        for settled in &output.results {
            page.line(&format!("{} {:?} {}", settled.index, settled.ended, settled.words));
        }
        if let Some(stopped) = output.stopped {
            page.line(&format!("{stopped:?}"));
        }
    }
}

fn say(hint: &Hint) -> String {
    format!("{hint:?}").chars().take_while(|letter| letter.is_alphanumeric()).collect()
}

const TOOLS: [ToolDef; 2] = [ToolDef::of::<Do>(), ToolDef::of::<Many>()];
static DIALECT: Dialect = dialect("test");
static OTHER: Dialect = dialect("other");

const fn dialect(name: &'static str) -> Dialect {
    Dialect {
        name,
        tools: &TOOLS,
        pages: &["\n## Do\n\nDoes it.\n\n## Many\n\nDoes many.\n"],
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
            narrow: Narrow::default(),
            policy,
            deadline,
            reply_bytes: None,
            structured: Structured::Off,
        };
        let runtime = Arc::new(Runtime::new(Engine::new(workspace), config).unwrap());
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
async fn a_remark_about_the_session_is_shown_once_in_it() {
    let mut world = World::new();
    let (again, first) = ("[toolpost: of this call]", "[toolpost: skipped target]\n[toolpost: of this call]");
    let many = json!({ "calls": ["Do remark a", "Do remark b"], "at_once": 1 });
    // A nested call's reply may never reach the client, so a remark is repeated until the client has seen it.
    let inside = words(&world.runtime.call(world.prepared("Many", many.clone())).await);
    assert_eq!(inside, format!("0 Done remark a\n{first}\n1 Done remark b\n{first}"));
    assert_eq!(words(&world.call("f", "remark 1").await), format!("remark 1\n{first}"));
    assert_eq!(words(&world.call("f", "remark 2").await), format!("remark 2\n{again}"));
    let inside = words(&world.runtime.call(world.prepared("Many", many)).await);
    assert_eq!(inside, format!("0 Done remark a\n{again}\n1 Done remark b\n{again}"));
    world.session = Session::new();
    assert_eq!(words(&world.call("f", "remark 1").await), format!("remark 1\n{first}"));
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
    let catalogue = world.runtime.catalogue();
    let names: Vec<&str> = catalogue.tools().iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["test_Do", "test_Many", "other_Do", "other_Many"]);
    for name in ["test_Do", "other_Do", "perform", "test_perform"] {
        let outcome =
            world.runtime.call(world.prepared(name, json!({ "path": "f", "order": "hello" }))).await;
        assert_eq!(words(&outcome), "hello", "{name}");
    }
    let outcome = world.runtime.call(world.prepared("Dont\u{1b}", json!({}))).await;
    assert_eq!(
        words(&outcome),
        "no tool: No tool is called Dont\\u{1b}. The tools are: test_Do, test_Many, other_Do, other_Many."
    );
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

/// Records the questions.
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
        spans: vec![Span::Session],
        covers: "reading .env".to_owned(),
        adds: None,
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
    world.runtime.events().listen(Detail::Names, move |event| {
        let Event { id, name, outcome, .. } = event;
        hear.lock().unwrap().push(format!("{id} {name} {}", outcome.as_deref().unwrap_or("started")));
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

async fn many(world: &World, arguments: Value) -> String {
    words(&world.runtime.call(world.prepared("Many", arguments)).await)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn inner_calls_run_at_the_same_time_and_not_more_than_allowed() {
    let world = World::new();
    let all = json!({ "calls": ["Do meet", "Do meet", "Do meet", "Do meet"], "at_once": 4 });
    assert_eq!(many(&world, all).await, "0 Done met\n1 Done met\n2 Done met\n3 Done met");
    let crowd = json!({ "calls": ["Do crowd", "Do crowd", "Do crowd", "Do crowd", "Do crowd", "Do crowd"], "at_once": 2 });
    let left = (0..6).map(|index| format!("{index} Done left")).collect::<Vec<_>>().join("\n");
    assert_eq!(many(&world, crowd).await, left);
    assert_eq!(CROWD.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn inner_calls_are_settled_one_by_one() {
    let rows = [
        (json!({ "calls": ["Do a while", "Do hello"], "at_once": 2 }), "0 Done a while\n1 Done hello"),
        (
            json!({ "calls": ["Do a while", "Do hello"], "at_once": 2, "as_settled": true }),
            "1 Done hello\n0 Done a while",
        ),
        (
            json!({ "calls": ["Do panic", "Do hello", "Nothing here"], "at_once": 3 }),
            "0 Failed Toolpost made a mistake in this call: as told\nAdvice\n1 Done hello\n\
             2 Failed No tool is called Nothing. The tools are: Do, Many.",
        ),
        (
            json!({ "calls": ["Do panic", "Do hello"], "at_once": 1, "fail_fast": true }),
            "0 Failed Toolpost made a mistake in this call: as told\nAdvice\n\
             1 Skipped Not begun: a call before it failed.\nFailure",
        ),
        // Calls that already run continue when another fails.
        (
            json!({ "calls": ["Do a while", "Do panic", "Do hello"], "at_once": 2, "fail_fast": true }),
            "0 Done a while\n1 Failed Toolpost made a mistake in this call: as told\nAdvice\n\
             2 Skipped Not begun: a call before it failed.\nFailure",
        ),
        // When the time is up, running calls return their partial results, and the others are not begun.
        (
            json!({ "calls": ["Do half", "Do wait for cancel", "Do hello"], "at_once": 2, "milliseconds": 20 }),
            "0 Done The time of all calls was up while this one ran, so it may not have found all.\nhalf\n1 Failed stopped\n2 Skipped Not begun: the time was up.\nTime",
        ),
        // The last one may notice the deadline before the batch does.
        (
            json!({ "calls": ["Do end in time"], "at_once": 1, "milliseconds": 20 }),
            "0 Done The time of all calls was up while this one ran, so it may not have found all.\na part\nTime",
        ),
        (json!({ "calls": [], "at_once": 2 }), "(empty)"),
    ];
    for (arguments, wanted) in rows {
        assert_eq!(many(&World::new(), arguments.clone()).await, wanted, "{arguments}");
    }
}

#[tokio::test]
async fn an_inner_call_that_does_not_stop_is_given_up() {
    let world = World::new();
    let arguments = json!({ "calls": ["Do sleep", "Do hello"], "at_once": 2, "milliseconds": 20 });
    let reply = many(&world, arguments).await;
    let (first, rest) = reply.split_once('\n').unwrap();
    assert!(first.starts_with("0 GivenUp It was given up after "), "{reply}");
    assert_eq!(rest, "1 Done hello\nTime");
}

#[tokio::test]
async fn inner_calls_only_read_and_nobody_is_asked_about_them() {
    let recorder = Recorder::default();
    let world = World::new().asking(recorder.clone());
    let rows = [
        ("Do write x", "0 Refused A nested call may only read, and Do would write f.\nAdvice"),
        ("Many more", "0 Refused A nested call cannot make calls, and Many makes some.\nAdvice"),
        (
            "Do secret",
            "0 Failed Not allowed to read .env: Such a file usually holds secrets. A nested call cannot prompt; make \
             this call directly.\nOperator",
        ),
    ];
    for (call, wanted) in rows {
        assert_eq!(many(&world, json!({ "calls": [call], "at_once": 1 })).await, wanted, "{call}");
    }
    assert!(recorder.0.lock().unwrap().is_empty());
    assert!(!RUNNING.lock().unwrap().iter().any(|run| run.contains("write x")));
    // A verdict that applies to all calls applies to nested ones, too.
    let world = World::new().asking(Verdict::Allow);
    assert_eq!(many(&world, json!({ "calls": ["Do secret"], "at_once": 1 })).await, "0 Done secret");
}

#[tokio::test]
async fn inner_replies_share_the_budget_and_name_their_pictures() {
    let world = World::new();
    let shared = many(&world, json!({ "calls": ["Do long", "Do hello"], "at_once": 2 })).await;
    let notice = "[toolpost: left out lines 6-1000 of 1000, 4975 of 5000 bytes]";
    assert_eq!(shared, format!("0 Done {}{notice}\n1 Done hello", "line\n".repeat(5)));
    assert_eq!(
        many(&world, json!({ "calls": ["Do picture"], "at_once": 2 })).await,
        "0 Done picture\n[toolpost: a picture (image/png, 7 bytes) is not shown in a nested call; make this call directly \
         to see it]"
    );
}

#[tokio::test]
async fn who_listens_to_everything_hears_what_was_said() {
    let world = World::new();
    let heard: Arc<Mutex<Vec<Event>>> = Arc::default();
    let hear = heard.clone();
    world.runtime.events().listen(Detail::All, move |event| {
        hear.lock().unwrap().push(Event { duration: None, ..event.clone() });
    });
    world.call("f", "hello").await;
    world.call(".env", "hello").await;
    let event = |id: u64, path: &str| Event {
        status: Status::Started,
        id,
        parent: None,
        name: "Do".to_owned(),
        params: Some(Arc::new(json!({ "path": path, "order": "hello" }))),
        outcome: None,
        duration: None,
        result: None,
        error: None,
    };
    let (first, second) = (event(1, "f"), event(2, ".env"));
    let done = Event {
        status: Status::Completed,
        outcome: Some("done".to_owned()),
        result: Some("hello\n".to_owned()),
        ..first.clone()
    };
    let why = "Not allowed to read .env: Such a file usually holds secrets. nobody is here";
    let denied = Event {
        status: Status::Failed,
        outcome: Some("denied".to_owned()),
        error: Some(why.to_owned()),
        ..second.clone()
    };
    assert_eq!(*heard.lock().unwrap(), [first, done, second, denied]);
}

#[tokio::test]
async fn inner_calls_find_the_tools_of_their_own_dialect_first() {
    let world = World::with(&[&DIALECT, &OTHER], "", None);
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let hear = heard.clone();
    world
        .runtime
        .events()
        .listen(Detail::Names, move |event| hear.lock().unwrap().push(serde_json::to_string(event).unwrap()));
    let call = world.prepared("other_Many", json!({ "calls": ["Do secret", "test_Do hello"], "at_once": 1 }));
    world.runtime.call(call).await;
    let heard: Vec<String> = heard
        .lock()
        .unwrap()
        .iter()
        .map(|event| event.split(",\"duration").next().unwrap().to_owned())
        .collect();
    let wanted = [
        r#"{"status":"started","id":1,"name":"other_Many"}"#,
        r#"{"status":"started","id":2,"parent":1,"name":"Do"}"#,
        r#"{"status":"failed","id":2,"parent":1,"name":"Do","outcome":"denied""#,
        r#"{"status":"started","id":3,"parent":1,"name":"test_Do"}"#,
        r#"{"status":"completed","id":3,"parent":1,"name":"test_Do","outcome":"done""#,
        r#"{"status":"completed","id":1,"name":"other_Many","outcome":"done""#,
    ];
    assert_eq!(heard, wanted);
}
