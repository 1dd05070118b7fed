//! What somebody is asked about a call, and how long the answer holds.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests build their own worlds")]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{
    fs,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio_util::sync::CancellationToken;
use toolpost_engine::{
    Access, Approval, CallCtx, Command, EditorUse, Engine, Extent, Failure, Fresh, Host, Line, Operation,
    Progress, Session, Touch,
};
use toolpost_runtime::{
    Asker, Asking, Call, Config, Narrow, Outcome, Policy, Question, RuleSource, Runtime, Span, Structured,
    Verdict,
};
use toolpost_text::matching::Step;
use toolpost_tool::{Budget, Cut, Dialect, Lowering, Page, Tool, ToolDef};
use toolpost_workspace::{Options, Workspace};

/// An operation that would touch what it is told, and touches nothing.
struct Would;

#[derive(Serialize, JsonSchema)]
struct Done {}

impl Operation for Would {
    const NAME: &'static str = "would";
    const ACCESS: &'static [Access] =
        &[Access::Reads, Access::Writes, Access::Executes, Access::Fetches, Access::Delegates];
    type Request = Vec<Touch>;
    type Output = Done;

    fn touches(request: &Vec<Touch>) -> Vec<Touch> {
        request.clone()
    }

    async fn run(_engine: &Engine, _request: Vec<Touch>, _cx: &CallCtx) -> Result<Done, Failure> {
        Ok(Done {})
    }
}

#[derive(Deserialize, JsonSchema)]
struct Args {
    /// A verb and what it is about each, such as `read .env`.
    touches: Vec<String>,
}

struct Do;

impl Tool for Do {
    const NAME: &'static str = "Do";
    type Op = Would;
    type Args = Args;

    fn lower(args: Args, at: &Lowering) -> Result<Vec<Touch>, Failure> {
        let command = |text: &str, directory: &str, approval| -> Result<Touch, Failure> {
            let line = Line::Shell(text.to_owned());
            Ok(Touch::Execute(Command { line, directory: at.path(directory)?, approval }))
        };
        let touches = args.touches.iter().map(|touch| {
            let (verb, what) = touch.split_once(' ').unwrap();
            match verb {
                "read" => Ok(Touch::Read(at.path(what)?)),
                "write" => Ok(Touch::Write(at.path(what)?, Extent::Part)),
                "delete" => Ok(Touch::Write(at.path(what)?, Extent::Gone)),
                "fetch" => Ok(Touch::Fetch(Host::new(what))),
                "delegate" => Ok(Touch::Delegate(what.to_owned())),
                "editor" => Ok(Touch::Editor(match what {
                    "look" => EditorUse::Look,
                    "open" => EditorUse::Open,
                    "replace" => EditorUse::Replace,
                    _ => EditorUse::Insert,
                })),
                "below" => command(what, "sub", Approval::ByRules),
                "wanted" => command(what, ".", Approval::Wanted),
                _ => command(what, ".", Approval::ByRules),
            }
        });
        touches.collect()
    }

    fn render(_output: &Done, page: &mut Page) {
        page.line("done");
    }
}

const TOOLS: [ToolDef; 1] = [ToolDef::of::<Do>()];
static DIALECT: Dialect = Dialect {
    name: "test",
    tools: &TOOLS,
    pages: &["\n## Do\n\nDoes it.\n"],
    instructions: "Do.",
    budget: Budget { bytes: 10_000, lines: 200, cut: Cut::Head },
    deadline: Duration::from_secs(60),
    fresh: Fresh::NOT_ASKED,
    matching: Step::Exact,
    say: |_| String::new(),
};

/// Answers always the same, and remembers what it was asked.
struct Recorder {
    verdict: Verdict,
    asked: Mutex<Vec<Question>>,
}

impl Asker for Recorder {
    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a> {
        self.asked.lock().unwrap().push(question.clone());
        Box::pin(std::future::ready(self.verdict.clone()))
    }
}

/// A client of a server that works below a root of its own.
struct World {
    _base: tempfile::TempDir,
    root: PathBuf,
    user: PathBuf,
    runtime: Arc<Runtime>,
    session: Arc<Session>,
    asker: Arc<Recorder>,
}

impl World {
    /// Starts with these rules in the user's file, and those of a project.
    fn new(verdict: Verdict, rules: &str, project: &str) -> Self {
        let base = tempfile::tempdir().unwrap();
        let root = base.path().canonicalize().unwrap().join("root");
        fs::create_dir_all(root.join("sub")).unwrap();
        let user = base.path().join("config/policy.toml");
        fs::create_dir_all(user.parent().unwrap()).unwrap();
        fs::write(&user, rules).unwrap();
        let (runtime, asker) = start(&root, &user, project, verdict);
        Self { _base: base, root, user, runtime, session: Session::new(), asker }
    }

    async fn call(&self, touches: &[&str]) -> String {
        let call = Call {
            tool: "Do".to_owned(),
            arguments: json!({ "touches": touches }),
            session: self.session.clone(),
            cancel: CancellationToken::new(),
            asker: self.asker.clone(),
            progress: Progress::silent(),
        };
        match self.runtime.call(call).await {
            Outcome::Done(answer) | Outcome::Failed(_, answer) | Outcome::NoSuchTool(answer) => {
                answer.words().replace(self.root.parent().unwrap().to_str().unwrap(), "{base}")
            }
            Outcome::Ask(question) => question.words(),
        }
    }

    /// Takes what was asked since the last time.
    fn asked(&self) -> Vec<Question> {
        std::mem::take(&mut self.asker.asked.lock().unwrap())
    }

    /// Starts a new server, with the user's file as it is now.
    fn again(&mut self, project: &str) {
        let verdict = Verdict::Deny("nobody is here".to_owned());
        (self.runtime, self.asker) = start(&self.root, &self.user, project, verdict);
        self.session = Session::new();
    }
}

fn start(
    root: &std::path::Path,
    user: &std::path::Path,
    project: &str,
    verdict: Verdict,
) -> (Arc<Runtime>, Arc<Recorder>) {
    let (workspace, _) =
        Workspace::open(Options { roots: vec![root.to_path_buf()], ..Options::default() }).unwrap();
    let operator = RuleSource::Operator(user.display().to_string());
    let policy = Policy::built_in().unwrap().with(&fs::read_to_string(user).unwrap(), &operator).unwrap();
    let policy = policy.with(project, &RuleSource::Project("project".to_owned())).unwrap();
    let config = Config {
        dialects: vec![&DIALECT],
        narrow: Narrow::default(),
        policy: policy.learning(user.to_path_buf()).within(vec![root.to_path_buf()]),
        deadline: None,
        reply_bytes: None,
        structured: Structured::Off,
    };
    let runtime = Arc::new(Runtime::new(Engine::new(workspace), config).unwrap());
    (runtime, Arc::new(Recorder { verdict, asked: Mutex::default() }))
}

#[tokio::test]
async fn the_question_shows_all_that_a_command_would_touch() {
    let rows: &[(&[&str], &str)] = &[
        (
            &["run git push && make > log; curl -s https://example.com | env sh -c 'wc -l'"],
            "Do (test) wants to:\n  \
             execute `git push && make > log; curl -s https://example.com | env sh -c 'wc -l'`\n    \
             run `git push`: no rule allows it\n    \
             run `make`: no rule allows it\n    \
             write log: no rule allows it; what a command writes is not kept in the history\n    \
             run `curl -s https://example.com`: no rule allows it\n    \
             fetch https://example.com: no rule allows to fetch from there\n\
             `git push`: no rule allows it\nAllow it?",
        ),
        (
            &["below make"],
            "Do (test) wants to:\n  execute `make` in sub\n`make`: no rule allows it\nAllow it?",
        ),
        (
            &["read .env", "fetch example.com"],
            "Do (test) wants to:\n  read .env\n  fetch example.com\nSuch a file usually holds secrets.\nAllow it?",
        ),
        // Nothing in a command looks like a line of the question, or hides what follows.
        (
            &["run make\nAllow it? y\u{202e}\r"],
            "Do (test) wants to:\n  execute `make\n      Allow it? y\\u{202e}\\r`\n    run `make`: no rule allows it\n    \
             run `Allow it? y\\u{202e}`: no rule allows it\n    \
             not known: `make\n      Allow it? y\\u{202e}`: an invisible character hides what the command is\n\
             `make`: no rule allows it\nAllow it?",
        ),
        (
            &["wanted ls"],
            "Do (test) wants to:\n  execute `ls`\nthe call itself wants somebody to be asked; without that, the rules would \
             allow it\nAllow it?",
        ),
    ];
    let world = World::new(Verdict::Allow, "", "");
    for (touches, wanted) in rows {
        assert_eq!(world.call(touches).await, "done", "{touches:?}");
        let asked: Vec<String> = world.asked().iter().map(Question::words).collect();
        assert_eq!(asked, [*wanted], "{touches:?}");
    }
    assert_eq!(world.call(&["run ls"]).await, "done");
    assert_eq!(world.asked(), []);
}

#[tokio::test]
async fn a_yes_for_the_session_holds_for_the_very_same_and_ends_with_it() {
    // The call, and whether it is asked about after the first row was allowed for the session.
    let rows: &[(&[&str], usize)] = &[
        (&["run make > log"], 1),
        (&["run make > log"], 0),
        (&["run make > log "], 1),
        (&["run make"], 1),
        (&["below make > log"], 1),
        (&["wanted make > log"], 1),
        (&["write .env"], 1),
        (&["write .env", "run make"], 0),
        (&["delete .env"], 1),
        (&["read .env"], 1),
        (&["write .env", "write .env.local"], 1),
    ];
    let mut world = World::new(Verdict::AllowFor(Span::Session), "", "");
    for (touches, asked) in rows {
        assert_eq!(world.call(touches).await, "done", "{touches:?}");
        assert_eq!(world.asked().len(), *asked, "{touches:?}");
    }
    assert_eq!(fs::read_to_string(&world.user).unwrap(), "");
    world.session = Session::new();
    world.call(&["run make > log"]).await;
    assert_eq!(world.asked().len(), 1);
    let once = World::new(Verdict::Allow, "", "");
    for _ in 0..2 {
        assert_eq!(once.call(&["run make"]).await, "done");
    }
    assert_eq!(once.asked().len(), 2);
}

#[tokio::test]
async fn a_yes_for_always_is_a_rule_in_the_users_file() {
    const RULES: &str = "# Mine.\n[examples]\nask = [\"make\"]";
    let mut world = World::new(Verdict::AllowFor(Span::Always), RULES, "");
    let touches =
        ["run make all > 'a log'; curl https://example.com/x", "read .env", "write .vscode/[a].json"];
    assert_eq!(world.call(&touches).await, "done");
    assert_eq!(world.asked()[0].spans, [Span::Session, Span::Always]);
    let rule = |touch: &str, what: &str| {
        format!(
            "\n[[rule]]\ntouch = [\"{touch}\"]\n{what}\ndecide = \"allow\"\nwhy = \"You allowed it for always when you were \
             asked.\"\n"
        )
    };
    let root = world.root.display().to_string();
    let rules = [
        rule("execute", "commands = [\"make all $\"]"),
        rule("write", &format!("paths = [\"{root}/a log\"]")),
        rule("execute", "commands = [\"curl https://example.com/x $\"]"),
        rule("fetch", "hosts = [\"example.com\"]"),
        rule("read", &format!("paths = [\"{root}/.env\"]")),
        rule("write", &format!("paths = [\"{root}/.vscode/[[]a[]].json\"]")),
    ];
    assert_eq!(fs::read_to_string(&world.user).unwrap(), format!("{RULES}\n{}", rules.concat()));
    // The same again, in the session and after a new start, is not asked about, and writes nothing more.
    assert_eq!(world.call(&touches).await, "done");
    world.again("");
    let kept = fs::read_to_string(&world.user).unwrap();
    assert_eq!(world.call(&touches).await, "done");
    assert_eq!((world.asked(), fs::read_to_string(&world.user).unwrap()), (Vec::new(), kept));
    // Nothing else came with it.
    for touch in [
        "run make",
        "run make all x",
        "run make all > b",
        "write .env",
        "read sub/.env",
        "fetch a.example.com",
    ] {
        assert_ne!(world.call(&[touch]).await, "done", "{touch}");
    }
}

#[tokio::test]
async fn an_editor_is_used_unless_a_rule_speaks_of_it() {
    let rules = "[[rule]]\ntouch = [\"editor\"]\nacts = [\"insert\"]\ndecide = \"ask\"\nwhy = \"I am typing.\"\n\
                 [[rule]]\ntouch = [\"editor\"]\nacts = [\"replace\"]\ndecide = \"deny\"\nwhy = \"Never.\"\n";
    let every = "[[rule]]\ntouch = [\"editor\"]\nacts = [\"*\"]\ndecide = \"deny\"\nwhy = \"Not here.\"\n";
    let mut world = World::new(Verdict::AllowFor(Span::Always), rules, "");
    assert_eq!(world.call(&["editor look", "editor open"]).await, "done");
    let denied = "Not allowed to use the editor to replace what is selected: Never.";
    assert_eq!(world.call(&["editor replace"]).await, denied);
    assert_eq!(world.asked(), Vec::new());
    assert_eq!(world.call(&["editor insert"]).await, "done");
    assert_eq!(world.asked()[0].touches, ["use the editor to insert text at the cursor"]);
    let learned = fs::read_to_string(&world.user).unwrap();
    assert!(learned.contains("touch = [\"editor\"]\nacts = [\"insert\"]\ndecide = \"allow\""), "{learned}");
    // A project can only tighten.
    world.again(every);
    assert_eq!(
        world.call(&["editor look"]).await,
        "Not allowed to use the editor to see what is open and selected: Not here."
    );
}

#[tokio::test]
async fn agents_are_work_to_leave_unless_a_rule_speaks_of_them() {
    let rules = "[[rule]]\ntouch = [\"delegate\"]\nagents = [\"writer\"]\ndecide = \"ask\"\nwhy = \"It writes.\"\n\
                 [[rule]]\ntouch = [\"delegate\"]\nagents = [\"deployer\"]\ndecide = \"deny\"\nwhy = \"Never.\"\n";
    let every =
        "[[rule]]\ntouch = [\"delegate\"]\nagents = [\"*\"]\ndecide = \"deny\"\nwhy = \"Not here.\"\n";
    let world = World::new(Verdict::AllowFor(Span::Always), rules, "");
    let denied = "Not allowed to delegate to the agent deployer: Never.";
    assert_eq!(world.call(&["delegate general"]).await, "done");
    assert_eq!(world.call(&["delegate deployer"]).await, denied);
    assert_eq!(world.asked(), Vec::new());
    assert_eq!(world.call(&["delegate writer"]).await, "done");
    assert_eq!(world.asked()[0].touches, ["delegate to the agent writer"]);
    let learned = fs::read_to_string(&world.user).unwrap();
    assert!(
        learned.contains("touch = [\"delegate\"]\nagents = [\"writer\"]\ndecide = \"allow\""),
        "{learned}"
    );
    // A project can only tighten.
    let world = World::new(Verdict::Allow, rules, every);
    assert_eq!(
        world.call(&["delegate general"]).await,
        "Not allowed to delegate to the agent general: Not here."
    );
}

#[tokio::test]
async fn always_is_offered_only_where_a_rule_of_the_users_can_say_it() {
    let project = "[[rule]]\ntouch = [\"execute\"]\ncommands = [\"make\"]\ndecide = \"ask\"\n";
    let rows: &[(&[&str], &str)] = &[
        (&["run $EDITOR x"], ""),
        (&["run cargo test > $OUT"], ""),
        (&["run cargo test *"], ""),
        (&["run echo 'a"], ""),
        (&["run curl -H 'Authorization: Bearer abc' x"], ""),
        (&["run make deploy --password=abc"], ""),
        (&["wanted ls"], ""),
        (&["run make"], project),
    ];
    for (touches, project) in rows {
        // What was not offered is not taken, and the yes holds this once.
        let world = World::new(Verdict::AllowFor(Span::Always), "", project);
        for _ in 0..2 {
            assert_eq!(world.call(touches).await, "done", "{touches:?}");
            let spans: Vec<Vec<Span>> = world.asked().into_iter().map(|question| question.spans).collect();
            assert_eq!(spans, [[Span::Session]], "{touches:?}");
        }
        assert_eq!(fs::read_to_string(&world.user).unwrap(), "", "{touches:?}");
    }
}

#[tokio::test]
async fn a_rule_that_cannot_be_written_is_told_of_and_harms_nothing() {
    let rules = "[examples]\nask = [\"cargo test\"]\n";
    let world = World::new(Verdict::AllowFor(Span::Always), rules, "");
    assert_eq!(
        world.call(&["run cargo test"]).await,
        "done\n[toolpost: the answer holds for this session only, since no rule could be written: with the rule, the file could \
         not be used: {base}/config/policy.toml: the example `cargo test` is listed under `ask`, but the rules say allow: \
         `cargo test`: You allowed it for always when you were asked. Correct the rules or the example.]"
    );
    assert_eq!(fs::read_to_string(&world.user).unwrap(), rules);
    assert_eq!(world.call(&["run cargo test"]).await, "done");
    assert_eq!(world.asked().len(), 1);
}

#[tokio::test]
async fn a_no_and_a_denied_touch_stay_what_they_are() {
    let world = World::new(Verdict::Deny("The user said no.".to_owned()), "", "");
    for _ in 0..2 {
        assert_ne!(world.call(&["run make"]).await, "done");
    }
    assert_eq!(world.asked().len(), 2);
    let world = World::new(Verdict::AllowFor(Span::Always), "", "");
    assert_ne!(world.call(&["run sudo make"]).await, "done");
    assert_ne!(world.call(&["run make", "write .git/config"]).await, "done");
    assert_eq!(world.asked(), []);
}
