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
    Access, Approval, CallCtx, Command, EditorUse, Engine, Extent, Failure, Files, Fresh, Hint, Host, Line,
    Operation, Progress, ResolveFuture, Resolver, Session, Touch,
};
use toolpost_runtime::{
    Asker, Call, Config, Outcome, Policy, Question, RuleSource, Runtime, Span, StructuredOutput,
    ToolSelection, Verdict, VerdictFuture,
};
use toolpost_test_rows::each_async;
use toolpost_text::matching::Step;
use toolpost_tool::{Budget, Dialect, Lowering, Page, Tool, ToolDef, TruncationPolicy};
use toolpost_workspace::{Options, Workspace};

/// An operation that declares the accesses in its arguments, and makes none.
struct DeclaredAccess;

#[derive(Serialize, JsonSchema)]
struct EmptyOutput {}

impl Operation for DeclaredAccess {
    const NAME: &'static str = "would";
    const ACCESS: &'static [Access] =
        &[Access::Reads, Access::Writes, Access::Executes, Access::Fetches, Access::Delegates];
    type Capability = Files;
    type Request = Vec<Touch>;
    type Output = EmptyOutput;

    fn touches(request: &Vec<Touch>) -> Vec<Touch> {
        request.clone()
    }

    async fn run(_files: &Files, _request: Vec<Touch>, _cx: &CallCtx) -> Result<EmptyOutput, Failure> {
        Ok(EmptyOutput {})
    }
}

#[derive(Deserialize, JsonSchema)]
struct Args {
    /// The accesses, each as a verb with its object, such as `read .env`.
    touches: Vec<String>,
}

struct DeclareTool;

impl Tool for DeclareTool {
    const NAME: &'static str = "Do";
    type Op = DeclaredAccess;
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

    fn render(_output: &EmptyOutput, page: &mut Page) {
        page.line("done");
    }
}

/// The beginning of the line with the rules that a refusal names.
const RULE: &str = "rule: ";

const TOOLS: [ToolDef; 1] = [ToolDef::of::<DeclareTool>()];
static DIALECT: Dialect = Dialect {
    name: "test",
    tools: &TOOLS,
    pages: &["\n## Do\n\nDoes it.\n"],
    instructions: "Do.",
    budget: Budget { bytes: 10_000, lines: 200, cut: TruncationPolicy::Head },
    deadline: Duration::from_secs(60),
    fresh: Fresh::NOT_ASKED,
    matching: Step::Exact,
    say: |hint| match hint {
        Hint::Operator(rule) => format!("{RULE}{rule}"),
        _ => String::new(),
    },
};

/// Always gives the same verdict, and records the questions.
struct Recorder {
    verdict: Verdict,
    prompts: Mutex<Vec<Question>>,
}

impl Asker for Recorder {
    fn ask<'a>(&'a self, question: &'a Question) -> VerdictFuture<'a> {
        self.prompts.lock().unwrap().push(question.clone());
        Box::pin(std::future::ready(self.verdict.clone()))
    }

    /// A denial applies without a prompt, so that refusals name the rules that would allow the call.
    fn standing(&self) -> Option<Verdict> {
        matches!(self.verdict, Verdict::Deny(_)).then(|| self.verdict.clone())
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
    looked_up: LookedUp,
}

/// The names that were looked up, in order.
type LookedUp = Arc<Mutex<Vec<String>>>;

/// A resolver for hosts whose names begin with the kind of their addresses.
struct Names {
    looked_up: LookedUp,
}

impl Resolver for Names {
    fn resolve<'a>(&'a self, host: &'a str) -> ResolveFuture<'a> {
        self.looked_up.lock().unwrap().push(host.to_owned());
        let addresses: &[&str] = match host.split('.').next().unwrap() {
            "private" => &["10.0.0.1"],
            "loopback" => &["127.0.0.1", "::1"],
            "mixed" => &["93.184.215.14", "192.168.0.1"],
            "none" => &[],
            "unknown" => return Box::pin(std::future::ready(Err(std::io::Error::other("no such name")))),
            "slow" => return Box::pin(std::future::pending()),
            _ => &["93.184.215.14"],
        };
        let addresses = addresses.iter().map(|address| address.parse().unwrap()).collect();
        Box::pin(std::future::ready(Ok(addresses)))
    }
}

impl World {
    /// Starts a server with `rules` in the user's policy file, and with the rules of a project.
    fn new(verdict: Verdict, rules: &str, project: &str) -> Self {
        let base = tempfile::tempdir().unwrap();
        let root = base.path().canonicalize().unwrap().join("root");
        fs::create_dir_all(root.join("sub")).unwrap();
        let user = base.path().join("config/policy.toml");
        fs::create_dir_all(user.parent().unwrap()).unwrap();
        fs::write(&user, rules).unwrap();
        let looked_up = LookedUp::default();
        let (runtime, asker) = start(&root, &user, project, verdict, &looked_up);
        Self { _base: base, root, user, runtime, session: Session::new(), asker, looked_up }
    }

    /// Makes a call, and returns its reply without the rules that a refusal names.
    async fn call(&self, touches: &[&str]) -> String {
        let reply = self.reply(touches).await;
        reply.split_once(&format!("\n{RULE}")).map_or(reply.clone(), |(words, _)| words.to_owned())
    }

    async fn reply(&self, touches: &[&str]) -> String {
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

    /// Returns the questions since the last call of this function.
    fn prompts(&self) -> Vec<Question> {
        std::mem::take(&mut self.asker.prompts.lock().unwrap())
    }

    /// Starts a new server, with the user's file in its current state.
    fn again(&mut self, project: &str) {
        let verdict = Verdict::Deny("nobody is here".to_owned());
        (self.runtime, self.asker) = start(&self.root, &self.user, project, verdict, &self.looked_up);
        self.session = Session::new();
    }
}

fn start(
    root: &std::path::Path,
    user: &std::path::Path,
    project: &str,
    verdict: Verdict,
    looked_up: &LookedUp,
) -> (Arc<Runtime>, Arc<Recorder>) {
    let (workspace, _) =
        Workspace::open(Options { roots: vec![root.to_path_buf()], ..Options::default() }).unwrap();
    let operator = RuleSource::Operator(user.display().to_string());
    let policy = Policy::built_in().unwrap().with(&fs::read_to_string(user).unwrap(), &operator).unwrap();
    let policy = policy.with(project, &RuleSource::Project("project".to_owned())).unwrap();
    let config = Config {
        dialects: vec![&DIALECT],
        narrow: ToolSelection::default(),
        policy: policy.learning(user.to_path_buf()).within(vec![root.to_path_buf()]),
        deadline: None,
        reply_bytes: None,
        structured: StructuredOutput::Off,
    };
    let names = Names { looked_up: looked_up.clone() };
    let engine = Engine::builder(workspace).with_resolver(Arc::new(names)).build();
    let runtime = Arc::new(Runtime::new(engine, config).unwrap());
    (runtime, Arc::new(Recorder { verdict, prompts: Mutex::default() }))
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one table of touches and questions")]
async fn the_approval_prompt_lists_every_access_of_a_call() {
    let rows: &[(&[&str], &str)] = &[
        (
            &["run git push && make > log; curl -s https://example.com | env sh -c 'wc -l'"],
            "Do (test) wants to:\n  \
             execute `git push && make > log; curl -s https://example.com | env sh -c 'wc -l'`\n    \
             run `git push`, run `make`, run `curl -s https://example.com`: no rule allows it\n    \
             write log: no rule allows it; changes by commands are not kept in the history\n    \
             fetch https://example.com: no rule of Toolpost's policy allows this host\n    \
             the command needs the host of the git remote, but no rule allows commands to reach any host; if the remote is \
             not on this machine, the command will fail\n\
             \"Always\" adds these rules to {user}:\n  \
             touch = [\"execute\"], commands = [\"git push $\"], decide = \"allow\", cautious = true\n  \
             touch = [\"execute\"], commands = [\"make $\"], decide = \"allow\", cautious = true\n  \
             touch = [\"write\"], paths = [\"{root}/log\"], decide = \"allow\", cautious = true\n  \
             touch = [\"execute\"], commands = [\"curl -s https://example.com $\"], decide = \"allow\", cautious = true\n  \
             touch = [\"fetch\"], hosts = [\"example.com\"], decide = \"allow\", cautious = true\n{cautious}\nAllow it?",
        ),
        (
            &["below make"],
            "Do (test) wants to:\n  execute `make` in sub\nno rule allows it\n\"Always\" adds this rule to {user}:\n  \
             touch = [\"execute\"], commands = [\"make $\"], decide = \"allow\", cautious = true\n{cautious}\nAllow it?",
        ),
        (
            &["read .env", "fetch example.com"],
            "Do (test) wants to:\n  read .env: Such a file usually holds secrets.\n  fetch example.com: no rule of Toolpost's policy \
             allows this host\n\"Always\" adds these rules to {user}:\n  \
             touch = [\"read\"], paths = [\"{root}/.env\"], decide = \"allow\", cautious = true\n  \
             touch = [\"fetch\"], hosts = [\"example.com\"], decide = \"allow\", cautious = true\n{cautious}\nAllow it?",
        ),
        (
            &["read .env", "write .env"],
            "Do (test) wants to:\n  read .env\n  write .env\nSuch a file usually holds secrets.\n\"Always\" adds this rule to \
             {user}:\n  touch = [\"read\", \"write\"], paths = [\"{root}/.env\"], decide = \"allow\", cautious = true\n{cautious}\nAllow it?",
        ),
        (
            &["run npm install x"],
            "Do (test) wants to:\n  execute `npm install x`\n    the command usually fetches from registry.npmjs.org, which no \
             rule allows commands to reach; without such a rule it will fail\nno rule allows it\n\"Always\" adds this \
             rule to {user}:\n  \
             touch = [\"execute\"], commands = [\"npm install x $\"], decide = \"allow\", cautious = true\n{cautious}\nAllow it?",
        ),
        // A command can neither imitate a line of the question nor hide what follows.
        (
            &["run make\nAllow it? y\u{202e}\r"],
            "Do (test) wants to:\n  execute `make\n      Allow it? y\\u{202e}\\r`\n    run `make`, run `Allow it? \
             y\\u{202e}`: no rule allows it\n    the command contains an invisible character, which may disguise what it \
             does\nAllow it?",
        ),
        (
            &["wanted ls"],
            "Do (test) wants to:\n  execute `ls`\nthe call itself requires approval; without that, the rules would \
             allow it\nAllow it?",
        ),
    ];
    let world = World::new(Verdict::Allow, "", "");
    each_async(rows, async |(touches, wanted)| {
        assert_eq!(world.call(touches).await, "done", "{touches:?}");
        let user = world.user.display().to_string();
        let prompts: Vec<String> = world.prompts().iter().map(Question::words).collect();
        let wanted = wanted.replace("{user}", &user).replace("{root}", &world.root.display().to_string());
        let cautious = "A cautious rule overrides no denial and covers no further code.";
        let wanted = wanted.replace("{cautious}", cautious);
        assert_eq!(prompts, [wanted], "{touches:?}");
    })
    .await;
    assert_eq!(world.call(&["run ls"]).await, "done");
    assert_eq!(world.prompts(), []);
}

/// The user is asked only about hosts that can be fetched from. Nothing is looked up if no user can be asked, or if the
/// rules decide.
#[tokio::test]
async fn the_user_is_asked_only_about_hosts_with_public_addresses() {
    let private =
        |host: &str, address: &str| format!("{host} resolves to {address}, which is a private address.");
    let refused = [
        ("private.example", private("private.example", "10.0.0.1")),
        ("loopback.example", private("loopback.example", "127.0.0.1")),
        ("mixed.example", private("mixed.example", "192.168.0.1")),
        ("none.example", "none.example does not resolve: the name has no address.".to_owned()),
        ("unknown.example", "unknown.example does not resolve: no such name.".to_owned()),
    ];
    for verdict in
        [Verdict::Allow, Verdict::AllowFor(Span::Session), Verdict::Declined("Declined.".to_owned())]
    {
        let world = World::new(verdict, "", "");
        each_async(&refused, async |(host, why)| {
            let reply = world.call(&[&format!("fetch {host}")]).await;
            assert!(reply.to_lowercase().starts_with(&why.to_lowercase()), "{host}: {reply}");
            assert_eq!(world.prompts(), Vec::new(), "{host}");
            assert_eq!(*world.looked_up.lock().unwrap().last().unwrap(), **host);
        })
        .await;
        world.call(&["fetch public.example"]).await;
        assert_eq!(world.prompts().len(), 1);
    }
    // A lookup without an answer does not count against the host.
    let world = World::new(Verdict::Allow, "", "");
    assert_eq!(world.call(&["fetch slow.example"]).await, "done");
    assert_eq!(world.prompts().len(), 1);
    let rule = |decide: &str| {
        format!(
            "[[rule]]\ntouch = [\"fetch\"]\nhosts = [\"private.example\"]\ndecide = \"{decide}\"\nwhy = \"w\"\n"
        )
    };
    for (rules, verdict) in [
        (String::new(), Verdict::Deny("nobody is here".to_owned())),
        (rule("allow"), Verdict::Allow),
        (rule("deny"), Verdict::Allow),
    ] {
        let world = World::new(verdict, &rules, "");
        world.call(&["fetch private.example"]).await;
        // Without a rule, the one who is asked refuses, because no user can be asked.
        let prompts = usize::from(rules.is_empty());
        assert_eq!((world.prompts().len(), world.looked_up.lock().unwrap().len()), (prompts, 0), "{rules}");
    }
}

/// A model can put data into the name of a host, which the name servers of its domain receive: such lookups are few and
/// short unless the user sees the names.
#[tokio::test]
async fn lookups_that_no_prompt_shows_are_limited() {
    let world = World::new(Verdict::Declined("Declined.".to_owned()), "", "");
    let long = format!("unknown.{}.example", "a".repeat(60));
    world.call(&[&format!("fetch {long}")]).await;
    assert_eq!((world.prompts().len(), world.looked_up.lock().unwrap().len()), (1, 0));
    let mut prompts = 0;
    for number in 0..20 {
        world.call(&[&format!("fetch unknown.{number}.example")]).await;
        prompts += world.prompts().len();
    }
    let looked_up = world.looked_up.lock().unwrap().len();
    assert_eq!((looked_up, prompts), (8, 12));
    // A lookup before a prompt does not count.
    let world = World::new(Verdict::Declined("Declined.".to_owned()), "", "");
    for number in 0..20 {
        world.call(&[&format!("fetch public.{number}.example")]).await;
    }
    assert_eq!((world.prompts().len(), world.looked_up.lock().unwrap().len()), (20, 20));
}

/// A prompt does not list what the rules allow anyway: the user would think that it is being asked, too.
#[tokio::test]
async fn a_prompt_lists_only_what_needs_approval() {
    let rules = "[[rule]]\ntouch = [\"write\"]\npaths = [\"out/**\"]\ndecide = \"allow\"\nwhy = \"w\"\n\
                 [[rule]]\ntouch = [\"fetch\"]\nhosts = [\"good.example\"]\ndecide = \"allow\"\nwhy = \"w\"\n\
                 [[rule]]\ntouch = [\"execute\"]\ncommands = [\"curl\"]\ndecide = \"allow\"\nwhy = \"w\"\n";
    let world = World::new(Verdict::Allow, rules, "");
    let parts: [(&str, bool); 9] = [
        ("make", true),
        ("ls > out/log", false),
        ("ls > log", true),
        ("ls 2> /dev/null", false),
        ("cat src/a.rs", false),
        ("cat .env", true),
        ("curl -s https://good.example/a", false),
        ("curl -s https://bad.example/a", true),
        ("git status", false),
    ];
    let mut prompted = 0;
    for (first, second) in (0..parts.len()).flat_map(|one| (0..parts.len()).map(move |other| (one, other))) {
        let (one, other) = (parts[first], parts[second]);
        assert_eq!(world.call(&[&format!("run {} && {}", one.0, other.0)]).await, "done");
        let prompts = world.prompts();
        assert_eq!(prompts.len(), usize::from(one.1 || other.1), "{one:?} {other:?}");
        for question in prompts {
            prompted += 1;
            // The first line is the whole command.
            let listed = question.touches[1..].join("\n") + &question.reason;
            for (text, is_asked) in [one, other] {
                let target = text.rsplit(' ').next().unwrap();
                assert_eq!(listed.contains(target), is_asked, "{text}: {question:#?}");
            }
            assert!(!listed.contains("a rule allows it"), "{question:#?}");
        }
    }
    assert_eq!(prompted, 81 - 25);
}

#[tokio::test]
async fn rules_offered_in_a_prompt_allow_the_call() {
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
        (
            &["run python3 -c 'print(1)'"],
            "Not allowed to execute `python3 -c 'print(1)'`: no rule allows it. No.",
        ),
        (
            &["run node -e '1;2' | cat"],
            "Not allowed to execute `node -e '1;2' | cat`: `node -e '1;2'`: no rule allows it. No.",
        ),
        (
            &["run make 'a;b' > '$x (1)'"],
            "Not allowed to execute `make 'a;b' > '$x (1)'`: no rule allows it. No.",
        ),
        (&["read .env", "write .env"], "Not allowed to write .env: Such a file usually holds secrets. No."),
    ];
    each_async(rows, async |(touches, wanted)| {
        let mut world = World::new(Verdict::Deny("No.".to_owned()), "", "");
        let reply =
            world.reply(touches).await.replace("{base}", world.root.parent().unwrap().to_str().unwrap());
        let (sentence, rules) = reply.split_once(&format!("\n{RULE}")).expect("the refusal names rules");
        assert_eq!(sentence, *wanted);
        let rules: Vec<&str> = rules.trim_end().split("; and: ").collect();
        let text: String = rules.iter().map(|rule| format!("[[rule]]\n{}\n", toml_lines(rule))).collect();
        fs::write(&world.user, text).unwrap();
        world.again("");
        assert_eq!(world.call(touches).await, "done", "{touches:?}: {rules:?}");
    })
    .await;
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

/// A refusal names no rule for code that comes from the input or is unknown, and a prompt does not list the only part
/// of a command again.
#[tokio::test]
async fn a_refusal_of_code_from_the_input_names_no_rule() {
    let rows = [
        (
            "run python3 - <<'EOF'\nprint(1)\nEOF",
            "Not allowed to execute `python3 - <<'EOF'\nprint(1)\nEOF`: no rule allows it. No.",
        ),
        ("run python3 -c \"$CODE\"", "Not allowed to execute `python3 -c \"$CODE\"`: no rule allows it. No."),
        ("run bash -s < a.sh", "Not allowed to execute `bash -s < a.sh`: no rule allows it. No."),
        (
            "run cat <<'EOF' | sh\nls\nEOF",
            "Not allowed to execute `cat <<'EOF' | sh\nls\nEOF`: `sh`: no rule allows it. No.",
        ),
    ];
    each_async(rows, async |(touch, wanted)| {
        let world = World::new(Verdict::Deny("No.".to_owned()), "", "");
        assert_eq!(world.reply(&[touch]).await.trim_end(), wanted);
        let question = world.prompts().remove(0);
        let repeated = question.touches.iter().any(|line| line.contains("run `python3 -"));
        assert!(!repeated, "{:?}", question.touches);
    })
    .await;
}

/// Converts a rule in one line to TOML lines.
fn toml_lines(rule: &str) -> String {
    rule.replace(", paths = ", "\npaths = ")
        .replace(", hosts = ", "\nhosts = ")
        .replace(", commands = ", "\ncommands = ")
        .replace(", decide = ", "\ndecide = ")
        .replace(", cautious = ", "\ncautious = ")
}

#[tokio::test]
async fn a_lasting_approval_covers_only_the_subcommand() {
    // The command, and the number of questions that it causes after the commands of the rows above were
    // approved for longer.
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
        each_async(rows, async |(touch, prompts)| {
            let reply = world.call(&[touch]).await;
            assert!(reply.starts_with("done"), "{touch}: {reply}");
            assert_eq!(world.prompts().len(), *prompts, "{touch} {span:?}");
        })
        .await;
        let learned = fs::read_to_string(&world.user).unwrap();
        assert_eq!(learned.contains("commands = [\"cargo test\"]"), span == Span::Always, "{learned}");
        assert!(!learned.contains("python3 -c") && !learned.contains("print"), "{learned}");
        // A session's approvals end with it; permanent ones do not.
        world.again("");
        let reply = world.call(&["run cargo test -p b"]).await;
        assert_eq!(reply == "done", span == Span::Always, "{reply}");
    }
    let covers = World::new(Verdict::Allow, "", "");
    covers.call(&["run cargo test --release"]).await;
    let question = covers.prompts().remove(0);
    assert_eq!(
        question.choice(Span::Session),
        "Allow `cargo test` with any further arguments for this session"
    );
    assert_eq!(question.choice(Span::Always), "Always allow `cargo test` with any further arguments");
}

#[tokio::test]
async fn session_approval_covers_exact_access_until_the_session_ends() {
    // The call, and the number of questions that it causes after the calls of the rows above were approved
    // for the session.
    let rows: &[(&[&str], usize)] = &[
        (&["run make > log"], 1),
        (&["run make > log"], 0),
        (&["run make > log "], 0),
        (&["run make"], 0),
        (&["run make | cat > log"], 0),
        (&["run make all"], 1),
        (&["below make > log"], 1),
        (&["wanted make > log"], 1),
        (&["write .env"], 1),
        (&["write .env", "run make"], 0),
        (&["delete .env"], 0),
        (&["read .env"], 1),
        (&["run head -1 .env | wc -c"], 0),
        (&["write .env", "write .env.local"], 1),
    ];
    let mut world = World::new(Verdict::AllowFor(Span::Session), "", "");
    each_async(rows, async |(touches, prompts)| {
        assert_eq!(world.call(touches).await, "done", "{touches:?}");
        assert_eq!(world.prompts().len(), *prompts, "{touches:?}");
    })
    .await;
    assert_eq!(fs::read_to_string(&world.user).unwrap(), "");
    world.session = Session::new();
    world.call(&["run make > log"]).await;
    assert_eq!(world.prompts().len(), 1);
    let once = World::new(Verdict::Allow, "", "");
    for _ in 0..2 {
        assert_eq!(once.call(&["run make"]).await, "done");
    }
    assert_eq!(once.prompts().len(), 2);
}

/// An approval holds in its session exactly as its rule does in a new server.
#[tokio::test]
async fn session_approval_equals_its_permanent_rule_after_a_restart() {
    let calls = [
        "run make",
        "run make all",
        "run make > log",
        "run echo b >> log",
        "run cat .env",
        "run cat .env | wc -c",
        "run head -1 .env; ls",
        "run grep -c A sub/.env",
        "run grep -r A .",
        "below cat .env",
        "read .env",
        "read sub/.env",
        "write .env",
        "write log",
        "run cargo test",
        "run cargo test -p a",
        "run python3 -m this",
        "run python3 -m this | head -1",
        "fetch example.com",
        "fetch 127.0.0.1",
        "run curl -s https://example.com/x",
        "wanted cat .env",
    ];
    let mut offered = 0;
    each_async(calls, async |first| {
        for span in [Span::Session, Span::Always] {
            let mut world = World::new(Verdict::AllowFor(span), "", "");
            for name in [".env", "sub/.env"] {
                fs::write(world.root.join(name), "A\n").unwrap();
            }
            world.call(&[first]).await;
            let Some(adds) = world.prompts().pop().and_then(|question| question.adds) else { continue };
            offered += 1;
            let refuse = || Recorder { verdict: Verdict::Deny("No.".to_owned()), prompts: Mutex::default() };
            world.asker = Arc::new(refuse());
            let mut held = Vec::new();
            for next in calls {
                held.push(world.call(&[next]).await);
            }
            assert_eq!(fs::read_to_string(&world.user).unwrap().is_empty(), span == Span::Session);
            let lines = adds.rules.iter().map(|rule| format!("[[rule]]\n{}\n", toml_lines(rule)));
            if span == Span::Session {
                fs::write(&world.user, lines.collect::<String>()).unwrap();
            }
            world.again("");
            world.asker = Arc::new(refuse());
            each_async(calls.into_iter().zip(held), async |(next, held)| {
                assert_eq!(held, world.call(&[next]).await, "{next} after {first} for {span:?}");
            })
            .await;
        }
    })
    .await;
    assert!(offered > 20, "{offered}");
}

#[tokio::test]
async fn a_permanent_approval_is_saved_as_rules_in_the_user_file() {
    const RULES: &str = "# Mine.\n[examples]\nask = [\"make\"]";
    let mut world = World::new(Verdict::AllowFor(Span::Always), RULES, "");
    let touches =
        ["run make all > 'a log'; curl https://example.com/x", "read .env", "write .vscode/[a].json"];
    let reply = world.call(&touches).await;
    assert!(
        reply.starts_with(
            "done\n[toolpost: this access is always allowed from now on; added to {base}/config/policy.toml: "
        ),
        "{reply}"
    );
    assert_eq!(world.prompts()[0].spans, [Span::Session, Span::Always]);
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
    assert_eq!((world.prompts(), fs::read_to_string(&world.user).unwrap()), (Vec::new(), kept));
    // The approval covers nothing else.
    each_async(
        [
            "run make",
            "run make all x",
            "run make all > b",
            "write .env",
            "read sub/.env",
            "fetch a.example.com",
        ],
        async |touch| {
            assert_ne!(world.call(&[touch]).await, "done", "{touch}");
        },
    )
    .await;
}

#[tokio::test]
async fn editor_access_is_allowed_unless_a_rule_matches() {
    let rules = "[[rule]]\ntouch = [\"editor\"]\nacts = [\"insert\"]\ndecide = \"ask\"\nwhy = \"I am typing.\"\n\
                 [[rule]]\ntouch = [\"editor\"]\nacts = [\"replace\"]\ndecide = \"deny\"\nwhy = \"Never.\"\n";
    let every = "[[rule]]\ntouch = [\"editor\"]\nacts = [\"*\"]\ndecide = \"deny\"\nwhy = \"Not here.\"\n";
    let mut world = World::new(Verdict::AllowFor(Span::Always), rules, "");
    assert_eq!(world.call(&["editor look", "editor open"]).await, "done");
    let denied = "Not allowed to use the editor to replace the selection: Never.";
    assert_eq!(world.call(&["editor replace"]).await, denied);
    assert_eq!(world.prompts(), Vec::new());
    assert!(world.call(&["editor insert"]).await.starts_with("done\n"));
    assert_eq!(world.prompts()[0].touches, ["use the editor to insert text at the cursor"]);
    let learned = fs::read_to_string(&world.user).unwrap();
    assert!(learned.contains("touch = [\"editor\"]\nacts = [\"insert\"]\ndecide = \"allow\""), "{learned}");
    // A project's rules can tighten the policy: here they deny an access that was allowed before.
    world.again(every);
    assert_eq!(
        world.call(&["editor look"]).await,
        "Not allowed to use the editor to see the open files and the selection: Not here."
    );
}

#[tokio::test]
async fn delegation_is_allowed_unless_a_rule_matches() {
    let rules = "[[rule]]\ntouch = [\"delegate\"]\nagents = [\"writer\"]\ndecide = \"ask\"\nwhy = \"It writes.\"\n\
                 [[rule]]\ntouch = [\"delegate\"]\nagents = [\"deployer\"]\ndecide = \"deny\"\nwhy = \"Never.\"\n";
    let every =
        "[[rule]]\ntouch = [\"delegate\"]\nagents = [\"*\"]\ndecide = \"deny\"\nwhy = \"Not here.\"\n";
    let world = World::new(Verdict::AllowFor(Span::Always), rules, "");
    let denied = "Not allowed to delegate to the agent deployer: Never.";
    assert_eq!(world.call(&["delegate general"]).await, "done");
    assert_eq!(world.call(&["delegate deployer"]).await, denied);
    assert_eq!(world.prompts(), Vec::new());
    assert!(world.call(&["delegate writer"]).await.starts_with("done\n"));
    assert_eq!(world.prompts()[0].touches, ["delegate to the agent writer"]);
    let learned = fs::read_to_string(&world.user).unwrap();
    assert!(
        learned.contains("touch = [\"delegate\"]\nagents = [\"writer\"]\ndecide = \"allow\""),
        "{learned}"
    );
    // A project's rules can tighten the policy: here they deny an access that was allowed before.
    let world = World::new(Verdict::Allow, rules, every);
    assert_eq!(
        world.call(&["delegate general"]).await,
        "Not allowed to delegate to the agent general: Not here."
    );
}

#[tokio::test]
async fn always_is_offered_only_if_a_user_rule_can_express_it() {
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
    each_async(rows, async |(touches, project)| {
        // A scope that was not offered is not accepted, and the approval is valid once.
        let world = World::new(Verdict::AllowFor(Span::Always), "", project);
        for _ in 0..2 {
            assert_eq!(world.call(touches).await, "done", "{touches:?}");
            let spans: Vec<Vec<Span>> = world.prompts().into_iter().map(|question| question.spans).collect();
            assert_eq!(spans, [[Span::Session]], "{touches:?}");
        }
        assert_eq!(fs::read_to_string(&world.user).unwrap(), "", "{touches:?}");
    })
    .await;
}

#[tokio::test]
async fn an_unsaved_rule_is_reported_and_applies_to_the_session() {
    let rules = "[examples]\nask = [\"cargo test\"]\n";
    let world = World::new(Verdict::AllowFor(Span::Always), rules, "");
    assert_eq!(
        world.call(&["run cargo test"]).await,
        "done\n[toolpost: the approval applies to this session only, because the rule could not be saved: \
         with the rule, \
         the file would be invalid: {base}/config/policy.toml: the example `cargo test` is listed under `ask`, but \
         the rules decide `allow`: \
         You chose \"always\" when asked. Correct the rules or the example.]"
    );
    assert_eq!(fs::read_to_string(&world.user).unwrap(), rules);
    assert_eq!(world.call(&["run cargo test"]).await, "done");
    assert_eq!(world.prompts().len(), 1);
}

#[tokio::test]
async fn refusals_are_not_stored_and_denied_access_never_prompts() {
    let world = World::new(Verdict::Deny("The user said no.".to_owned()), "", "");
    for _ in 0..2 {
        assert_ne!(world.call(&["run make"]).await, "done");
    }
    assert_eq!(world.prompts().len(), 2);
    let world = World::new(Verdict::AllowFor(Span::Always), "", "");
    assert_ne!(world.call(&["run sudo make"]).await, "done");
    assert_ne!(world.call(&["run make", "write .git/config"]).await, "done");
    assert_eq!(world.prompts(), []);
}
