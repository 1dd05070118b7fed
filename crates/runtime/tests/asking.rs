//! Tests of approval questions and the scope of their answers.

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
    Access, Approval, CallCtx, Command, EditorUse, Engine, Extent, Failure, Files, Fresh, Host, Line,
    Operation, Progress, Session, Touch,
};
use toolpost_runtime::{
    Asker, Asking, Call, Config, Narrow, Outcome, Policy, Question, RuleSource, Runtime, Span, Structured,
    Verdict,
};
use toolpost_text::matching::Step;
use toolpost_tool::{Budget, Cut, Dialect, Lowering, Page, Tool, ToolDef};
use toolpost_workspace::{Options, Workspace};

/// An operation that declares the touches in its arguments, and touches nothing.
struct Would;

#[derive(Serialize, JsonSchema)]
struct Done {}

impl Operation for Would {
    const NAME: &'static str = "would";
    const ACCESS: &'static [Access] =
        &[Access::Reads, Access::Writes, Access::Executes, Access::Fetches, Access::Delegates];
    type Capability = Files;
    type Request = Vec<Touch>;
    type Output = Done;

    fn touches(request: &Vec<Touch>) -> Vec<Touch> {
        request.clone()
    }

    async fn run(_files: &Files, _request: Vec<Touch>, _cx: &CallCtx) -> Result<Done, Failure> {
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

/// Always gives the same verdict, and records the questions.
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

/// A client of a server with its own root.
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

    /// Takes the questions since the last call of this.
    fn asked(&self) -> Vec<Question> {
        std::mem::take(&mut self.asker.asked.lock().unwrap())
    }

    /// Starts a new server, with the user's file in its current state.
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
#[expect(clippy::too_many_lines, reason = "one table of touches and questions")]
async fn the_question_shows_all_that_a_command_would_touch() {
    let rows: &[(&[&str], &str)] = &[
        (
            &["run git push && make > log; curl -s https://example.com | env sh -c 'wc -l'"],
            "Do (test) wants to:\n  \
             execute `git push && make > log; curl -s https://example.com | env sh -c 'wc -l'`\n    \
             run `git push`, run `make`, run `curl -s https://example.com`: no rule allows it\n    \
             write log: no rule allows it; what a command writes is not kept in the history\n    \
             fetch https://example.com: no rule of Toolpost's policy allows this host\n    \
             it needs the host of the remote, and no rule opens a host to commands: if the remote is not on this machine, it will \
             fail\n\
             \"Always\" adds these rules to {user}:\n  \
             touch = [\"execute\"], commands = [\"git push $\"], decide = \"allow\", cautious = true\n  \
             touch = [\"execute\"], commands = [\"make $\"], decide = \"allow\", cautious = true\n  \
             touch = [\"write\"], paths = [\"{root}/log\"], decide = \"allow\", cautious = true\n  \
             touch = [\"execute\"], commands = [\"curl -s https://example.com $\"], decide = \"allow\", cautious = true\n  \
             touch = [\"fetch\"], hosts = [\"example.com\"], decide = \"allow\", cautious = true\nAllow it?",
        ),
        (
            &["below make"],
            "Do (test) wants to:\n  execute `make` in sub\nno rule allows it\n\"Always\" adds this rule to {user}:\n  \
             touch = [\"execute\"], commands = [\"make $\"], decide = \"allow\", cautious = true\nAllow it?",
        ),
        (
            &["read .env", "fetch example.com"],
            "Do (test) wants to:\n  read .env: Such a file usually holds secrets.\n  fetch example.com: no rule of Toolpost's policy \
             allows this host\n\"Always\" adds these rules to {user}:\n  \
             touch = [\"read\"], paths = [\"{root}/.env\"], decide = \"allow\", cautious = true\n  \
             touch = [\"fetch\"], hosts = [\"example.com\"], decide = \"allow\", cautious = true\nAllow it?",
        ),
        (
            &["read .env", "write .env"],
            "Do (test) wants to:\n  read .env\n  write .env\nSuch a file usually holds secrets.\n\"Always\" adds this rule to \
             {user}:\n  touch = [\"read\", \"write\"], paths = [\"{root}/.env\"], decide = \"allow\", cautious = true\nAllow it?",
        ),
        (
            &["run npm install x"],
            "Do (test) wants to:\n  execute `npm install x`\n    it usually fetches from registry.npmjs.org, which no rule opens \
             to commands: without one it will fail\nno rule allows it\n\"Always\" adds this rule to {user}:\n  \
             touch = [\"execute\"], commands = [\"npm install x $\"], decide = \"allow\", cautious = true\nAllow it?",
        ),
        // A command can neither imitate a line of the question nor hide what follows.
        (
            &["run make\nAllow it? y\u{202e}\r"],
            "Do (test) wants to:\n  execute `make\n      Allow it? y\\u{202e}\\r`\n    run `make`, run `Allow it? \
             y\\u{202e}`: no rule allows it\n    an invisible character disguises the command\nAllow it?",
        ),
        (
            &["wanted ls"],
            "Do (test) wants to:\n  execute `ls`\nthe call itself requires approval; without that, the rules would \
             allow it\nAllow it?",
        ),
    ];
    let world = World::new(Verdict::Allow, "", "");
    for (touches, wanted) in rows {
        assert_eq!(world.call(touches).await, "done", "{touches:?}");
        let user = world.user.display().to_string();
        let asked: Vec<String> = world.asked().iter().map(Question::words).collect();
        let wanted = wanted.replace("{user}", &user).replace("{root}", &world.root.display().to_string());
        assert_eq!(asked, [wanted], "{touches:?}");
    }
    assert_eq!(world.call(&["run ls"]).await, "done");
    assert_eq!(world.asked(), []);
}

#[tokio::test]
async fn a_refusal_names_rules_that_suffice() {
    let rows: &[(&[&str], &str)] = &[
        (
            &["run cargo test --release"],
            "Not allowed to execute `cargo test --release`: no rule allows it. No.",
        ),
        (
            &["run python3 -m pytest -q a.py"],
            "Not allowed to execute `python3 -m pytest -q a.py`: no rule allows it. No.",
        ),
        (&["run make && ls"], "Not allowed to execute `make && ls`: `make`: no rule allows it. No."),
        (&["read .env", "write .env"], "Not allowed to write .env: Such a file usually holds secrets. No."),
    ];
    for (touches, wanted) in rows {
        let mut world = World::new(Verdict::Deny("No.".to_owned()), "", "");
        let said = world.call(touches).await;
        let (sentence, hint) = said.split_once('\n').unwrap_or((&said, ""));
        assert_eq!(sentence, *wanted);
        // The test dialect has no hint texts, so the rule is read from the question, which contains the same one.
        assert_eq!(hint, "");
        let rules = world.asked()[0].adds.clone().unwrap().rules;
        let text: String = rules.iter().map(|rule| format!("[[rule]]\n{}\n", toml_lines(rule))).collect();
        fs::write(&world.user, text).unwrap();
        world.again("");
        assert_eq!(world.call(touches).await, "done", "{touches:?}: {rules:?}");
    }
    let denied = World::new(
        Verdict::Allow,
        "[[rule]]\ntouch = [\"execute\"]\ncommands = [\"git push --force\"]\ndecide = \"deny\"\nwhy = \"Others work there.\"\n",
        "",
    );
    let user =
        denied.user.display().to_string().replace(denied.root.parent().unwrap().to_str().unwrap(), "{base}");
    assert_eq!(
        denied.call(&["run git push -f"]).await,
        format!(
            "Not allowed to execute `git push -f`: the rule `git push --force` denies it ({user}, line 1): Others work there."
        )
    );
}

/// Converts a rule in one line to TOML lines.
fn toml_lines(rule: &str) -> String {
    rule.replace(", paths = ", "\npaths = ")
        .replace(", commands = ", "\ncommands = ")
        .replace(", decide = ", "\ndecide = ")
        .replace(", cautious = ", "\ncautious = ")
}

#[tokio::test]
async fn an_approval_for_longer_covers_the_subcommand_and_nothing_wider() {
    // The command, and the number of questions after the first row was allowed for longer.
    let rows: &[(&str, usize)] = &[
        ("run cargo test --release", 1),
        ("run cargo test -p a -- --nocapture", 0),
        ("below cargo test", 0),
        ("run cargo test --config a.toml", 1),
        ("run cargo build", 1),
        ("run ./cargo test", 1),
        ("run RUSTC=x cargo test", 1),
        ("run cargo test > log", 1),
        ("run cargo test $X", 1),
        ("run python3 -m pytest a.py", 1),
        ("run python3 -m pytest -q b.py", 0),
        ("run python3 pytest -m x", 1),
        ("run python3 -c 'print(1)'", 1),
        ("run python3 b.py", 1),
        ("run npm test", 1),
        ("run npm test -- -pe 1", 1),
        ("run npm test -- --watch", 0),
        ("run npm run evil", 1),
    ];
    for span in [Span::Session, Span::Always] {
        let mut world = World::new(Verdict::AllowFor(span), "", "");
        for (touch, asked) in rows {
            let said = world.call(&[touch]).await;
            assert!(said.starts_with("done"), "{touch}: {said}");
            assert_eq!(world.asked().len(), *asked, "{touch} {span:?}");
        }
        let learned = fs::read_to_string(&world.user).unwrap();
        assert_eq!(learned.contains("commands = [\"cargo test\"]"), span == Span::Always, "{learned}");
        assert!(!learned.contains("python3 -c") && !learned.contains("print"), "{learned}");
        // A session's approvals end with it; permanent ones do not.
        world.again("");
        let said = world.call(&["run cargo test -p b"]).await;
        assert_eq!(said == "done", span == Span::Always, "{said}");
    }
    let covers = World::new(Verdict::Allow, "", "");
    covers.call(&["run cargo test --release"]).await;
    let question = covers.asked().remove(0);
    assert_eq!(question.choice(Span::Session), "Allow `cargo test` with any further words for this session");
    assert_eq!(question.choice(Span::Always), "Always allow `cargo test` with any further words");
}

#[tokio::test]
async fn a_yes_for_the_session_holds_for_the_very_same_and_ends_with_it() {
    // The call, and the number of questions after the first row was allowed for the session.
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
    let said = world.call(&touches).await;
    assert!(
        said.starts_with(
            "done\n[toolpost: always allowed from now on, by a rule in {base}/config/policy.toml: "
        ),
        "{said}"
    );
    assert_eq!(world.asked()[0].spans, [Span::Session, Span::Always]);
    let rule = |touch: &str, what: &str| {
        format!(
            "\n[[rule]]\ntouch = [\"{touch}\"]\n{what}\ndecide = \"allow\"\ncautious = true\nwhy = \"You chose \\\"always\\\" when \
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
    // The same call needs no approval in the session or after a restart, and writes nothing more.
    assert_eq!(world.call(&touches).await, "done");
    world.again("");
    let kept = fs::read_to_string(&world.user).unwrap();
    assert_eq!(world.call(&touches).await, "done");
    assert_eq!((world.asked(), fs::read_to_string(&world.user).unwrap()), (Vec::new(), kept));
    // The approval covers nothing else.
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
    assert!(world.call(&["editor insert"]).await.starts_with("done\n"));
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
    assert!(world.call(&["delegate writer"]).await.starts_with("done\n"));
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
        (&["run python3 -c 'print(1)'"], ""),
        (&["run python3 - <<'X'\nprint(1)\nX\n"], ""),
        (&["run node -e 1"], ""),
        (&["run bash -s < a"], ""),
        (&["run psql -c 'drop table a'"], ""),
        (&["run make deploy --password=abc"], ""),
        (&["wanted ls"], ""),
        (&["run make"], project),
    ];
    for (touches, project) in rows {
        // A scope that was not offered is not accepted, and the approval is valid once.
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
         You chose \"always\" when asked. Correct the rules or the example.]"
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
